import BlekeepRecords

/// Turns MQTT messages into commands. The topics are:
///
/// ```
/// <base>/<gateway>/<device>/command/poll
/// <base>/<gateway>/<device>/command/pause                     ON, OFF, or a duration such as 1h
/// <base>/<gateway>/<device>/command/set/181a/2a6e             the value as `blekeep write` takes it
/// <base>/<gateway>/<device>/command/set/181a/2a6e/2           the second of these characteristics
/// ```
struct MQTTCommands {
    private let prefix: String
    private let allowed: Set<MQTTConfiguration.Command>
    /// By their names in topics.
    private let devices: [DeviceID: DeviceConfiguration]

    /// Enough for the longest value in hexadecimal digits.
    static let maxPayload = 2 * ValueText.limit + 16

    init(_ mqtt: MQTTConfiguration, configuration: PollConfiguration) {
        prefix = "\(mqtt.base)/\(MQTTTopics(mqtt).group)/"
        allowed = mqtt.commands
        devices = MQTTTopics.byID(configuration.devices)
    }

    func isCommand(_ topic: String) -> Bool {
        let parts = topic.split(separator: "/", omittingEmptySubsequences: false)
        return topic.hasPrefix(prefix) && parts.count > 4 && parts[3] == "command"
    }

    /// - Returns: the command, and words about it for the log.
    func command(
        _ topic: String, payload: [UInt8]?, isRetained: Bool
    ) throws(UserError) -> (command: DeviceCommand, words: String) {
        let parts = topic.dropFirst(prefix.count).split(separator: "/", omittingEmptySubsequences: false)
        guard !isRetained else { throw UserError("the message is retained, and would come again at each connection") }
        guard let payload, payload.count <= Self.maxPayload else { throw UserError("the message is too long") }
        guard parts.count >= 3 else { throw UserError("there is no topic \(Untrusted(topic))") }
        guard let device = DeviceID(parts[0]).flatMap({ devices[$0] }) else {
            throw UserError("the configuration has no device \(Untrusted(String(parts[0])))")
        }
        let word = String(parts[2])
        guard let command = MQTTConfiguration.Command(rawValue: word) else {
            throw UserError("there is no command \(Untrusted(word))")
        }
        guard allowed.contains(command) else { throw UserError("the configuration doesn't allow the command \(word)") }
        let text = String(decoding: payload, as: UTF8.self)
        let name = device.name
        func described(_ action: DeviceCommand.Action, as words: String) -> (command: DeviceCommand, words: String) {
            (DeviceCommand(action, device.id), words)
        }
        switch command {
        case .poll where parts.count == 3: return described(.poll, as: "read \(name) now")
        case .pause where parts.count == 3:
            let (action, words) = try pause(text, of: name)
            return described(action, as: words)
        case .set:
            let request = try request(Array(parts.dropFirst(3)), text: text)
            return described(.write(request), as: "set \(request.characteristic) of \(name) to \(Untrusted(text))")
        case .poll, .pause: throw UserError("there is no topic \(Untrusted(topic))")
        }
    }

    private func pause(
        _ text: String, of name: String
    ) throws(UserError) -> (action: DeviceCommand.Action, words: String) {
        switch text {
        case "ON": return (.pause(.untilResumed), "pause \(name)")
        case "OFF": return (.resume, "resume \(name)")
        default:
            guard let length = try? DurationText.parse(text), .zero < length, length <= UserPause.longest else {
                throw UserError("\(Untrusted(text)) isn't ON, OFF, or a duration such as 1h")
            }
            return (.pause(.time(length)), "pause \(name) for \(DurationText.text(length))")
        }
    }

    private func request(_ parts: [Substring], text: String) throws(UserError) -> WriteRequest {
        guard (2...3).contains(parts.count), let service = BluetoothUUID(String(parts[0])),
            let characteristic = BluetoothUUID(String(parts[1])),
            let instance = parts.count == 3 ? Int(parts[2]) : 1, instance >= 1
        else { throw UserError("a value is set at …/command/set/SERVICE/CHARACTERISTIC, or …/CHARACTERISTIC/2") }
        do throws(UserError) {
            return WriteRequest(
                service: service, characteristic: characteristic, instance: instance,
                value: try ValueText(text.isEmpty ? ["text:"] : [text]))
        } catch { throw UserError(Untrusted(error.message, limit: 300).description) }
    }
}
