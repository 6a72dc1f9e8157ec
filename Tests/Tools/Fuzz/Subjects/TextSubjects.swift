import Blekeep
import BlekeepOutputs
import Foundation

extension Dice {
    /// Returns a hostile name: with control characters, invisible characters, changes of direction, or invalid UTF-8.
    package mutating func text() -> String {
        let parts = below(3) == 0 ? 0 : below(8)
        var bytes: [UInt8] = []
        for _ in 0...parts { bytes += pick(Self.pieces) }
        if below(16) == 0 { bytes += [UInt8](repeating: pick([0x41, 0x1B, 0xCC]), count: 248) }
        if below(4) == 0 { bytes = broken(bytes) }
        return String(decoding: bytes.prefix(below(8) == 0 ? 248 : 2000), as: UTF8.self)
    }

    private static let pieces: [[UInt8]] = {
        let texts = [
            "Sensor", "Küche 2", "\u{1B}[2J", "\u{1B}]0;owned\u{7}", "\n", "\r\n", "\t", "\u{0}", "\u{85}", "\u{9B}31m",
            "\u{7F}", "\u{202E}txt.exe", "\u{2066}", "\u{200B}", "\u{FEFF}", "\u{2028}", "\u{2029}", "e\u{301}\u{301}",
            "👩‍👩‍👧‍👦", "🇩🇪", "漢字", "\u{10FFFF}", "\"", "\\", "'", ",", "=", "=1+1", "@x", " ", "|", "{", "}", "[", "]", ":",
            "- ", "\u{0600}", "\u{E0001}", "\u{115F}", "\u{3164}", "ﬁ", "0x", "#2", "/", "181a", "text:", "u16:", "-1",
            "30s", "24h",
            "F0:00:00:00:00:01", "hci0", "--json", "-v", "temperature", "99999999999999999999", "1e999", "NaN", "~",
            "&a ",
            "*a", "!!binary ", "<<: ", "%", "?",
        ]
        return texts.map { Array($0.utf8) } + [
            [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82],
        ]
    }()
}

extension Subject {
    /// Names in every place where a name is printed.
    package static let names = Subject(name: "names") { dice in
        let name = dice.text()
        let shown = Untrusted(name).description
        if let harm = harm(in: shown) { return "Untrusted: \(harm) of \(name.debugDescription)" }
        let reading = reading(name, &dice)
        for (format, writer) in writers {
            var bytes: [UInt8] = []
            writer.append(reading, to: &bytes)
            let line = String(decoding: bytes, as: UTF8.self)
            if let harm = line.unicodeScalars.first(where: { $0.value < 0x20 && $0 != "\n" || $0.value == 0x7F }) {
                return "\(format): U+\(String(harm.value, radix: 16)) of \(name.debugDescription)"
            }
            // Only CSV may contain a line end, in quotes. Elsewhere it could begin a false line.
            if format != .csv, line.contains("\n") { return "\(format): a line of its own, \(name.debugDescription)" }
        }
        var json: [UInt8] = []
        JSONText.append(name, to: &json)
        if json.contains(where: { $0 < 0x20 || $0 == 0x7F }) { return "JSON: \(name.debugDescription)" }
        if dice.below(16) == 0 {
            let back = try? JSONDecoder().decode(String.self, from: Data(json))
            if back != name { return "JSON reads back otherwise: \(name.debugDescription)" }
        }
        return nil
    }

    private static let writers: [(LineFormat, any LineWriter)] = [
        (.human, HumanLineWriter()), (.json, JSONLineWriter()),
        (.csv, CSVLineWriter()), (.influx, InfluxLineWriter()),
    ]

    private static func reading(_ name: String, _ dice: inout Dice) -> StoredReading {
        let outcome: Reading.Outcome =
            dice.below(2) == 0
            ? .failure(ReadingFailure(code: OpenEnum(rawValue: name), message: name), raw: nil)
            : .value(
                Measurement(field: name, value: .text(name), state: name, unit: name), raw: dice.bytes(upTo: 20))
        return StoredReading(
            sequence: Int64(truncatingIfNeeded: dice.next()),
            reading: Reading(
                time: Int64(truncatingIfNeeded: dice.next()), tick: 1, device: name,
                address: BluetoothAddress("F0:00:00:00:00:01") ?? anyAddress, service: nil,
                characteristic: BluetoothUUID(0x2A00), name: name, outcome: outcome))
    }

    /// What gateways retain at an MQTT broker.
    package static let fleet = Subject(name: "fleet messages") { dice in
        var mqtt = MQTTConfiguration(host: "broker", port: 1883, isEncrypted: false, gateway: "cellar")
        (mqtt.fleet, mqtt.installation) = ("home", "01234567")
        var device = DeviceConfiguration(address: anyAddress)
        device.gateways = ["cellar", "attic"]
        var view = FleetView(mqtt, devices: [device])
        var texts: [String] = []
        for _ in 0...dice.below(4) {
            let topic =
                "blekeep/\(dice.pick(["cellar", "attic", dice.text()]))/\(dice.pick(Array(messages.keys).sorted()))"
            let message = dice.pick([messages[topic.split(separator: "/").last.map(String.init) ?? ""] ?? "", "[[[["])
            switch dice.below(4) {
            case 0: view.received(topic, payload: dice.bytes(upTo: 300))
            case 1: view.received(topic, payload: Array(message.replacing("TEXT", with: dice.text()).utf8))
            default: view.received(topic, payload: dice.broken(Array(message.utf8)))
            }
            texts +=
                view.gateways.flatMap { [$0.name, $0.installation ?? "", $0.state?.version ?? ""] } + view.warnings
            texts += view.devices.flatMap { [$0.trouble ?? ""] + $0.others.map(\.words) }
        }
        return texts.lazy.compactMap(harm).first
    }

    private static let messages: [String: String] = [
        "status": "online", "installation": "TEXT",
        "state": #"{"version":"TEXT","power_mode":"low","battery":7,"backlog":12,"bluetooth_problem":true}"#,
        "devices":
            #"{"fleet":"home","devices":{"f00000000001":{"state":"lost","since":17,"rssi":-61,"bonded":true,"reason":"TEXT"}}}"#,
    ]

    package static func harm(in text: String) -> String? {
        text.unicodeScalars.first { scalar in
            // Letters that fonts draw as nothing.
            if [0x034F, 0x115F, 0x1160, 0x3164, 0xFFA0].contains(scalar.value) { return true }
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: return true
            default: return false
            }
        }.map { "U+\(String($0.value, radix: 16))" }
    }

    package static let anyAddress: BluetoothAddress = {
        guard let address = BluetoothAddress("F0:00:00:00:00:01") else { preconditionFailure("an address") }
        return address
    }()
}
