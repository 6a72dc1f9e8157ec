import BlekeepRecords
internal import CMosquitto

/// What a broker retains of other gateways: decides whether one of them has this gateway's name, or announces its devices.
/// Pure.
///
/// The gateway that runs goes on, and the newcomer says why it doesn't begin. A broker believes each client, so this helps
/// against mistakes, and not against attacks.
struct MQTTNeighbors {
    private let topics: MQTTTopics
    private let installation: String?
    private let devices: Set<DeviceID>
    private var online: Set<String> = []
    /// The installation that has this gateway's name.
    private var holder: String?
    /// The gateways that announce devices of this one to Home Assistant as theirs alone, with one of these devices.
    private var announcers: [String: DeviceID] = [:]

    /// Whoever may publish could fill the memory otherwise.
    static let maxGateways = 1000

    init(_ topics: MQTTTopics, installation: String?, devices: Set<DeviceID>) {
        self.topics = topics
        self.installation = installation
        self.devices = devices
    }

    /// Takes a retained message.
    ///
    /// - Parameter device: the device that it announces; `nil` for another message.
    mutating func received(_ topic: String, payload: [UInt8], announcing device: DeviceID?) {
        if topic == topics.installation {
            holder = payload.isEmpty ? nil : String(decoding: payload.prefix(64), as: UTF8.self)
        } else if let gateway = topics.gateway(ofStatus: topic) {
            guard payload == Array("online".utf8) else {
                online.remove(gateway)
                return
            }
            if online.count < Self.maxGateways { online.insert(gateway) }
        } else if let device, devices.contains(device) {
            // Its availability has the status of its gateway, but not in a fleet.
            for text in String(decoding: payload, as: UTF8.self).split(separator: "\"") {
                guard let gateway = topics.gateway(ofStatus: text), announcers.count < Self.maxGateways else {
                    continue
                }
                announcers[gateway] = announcers[gateway] ?? device
            }
        }
    }

    /// Another machine has this gateway's name; for the user.
    static func twin(of gateway: String) -> String {
        "another machine runs as the gateway \(gateway); give each its own `gateway`, or run 'blekeep fleet adopt' when "
            + "this machine replaces it"
    }

    /// Why this gateway can't begin, for the user; `nil` when it can.
    var flaw: String? {
        if let holder, let installation, holder != installation, online.contains(topics.gateway) {
            return Self.twin(of: topics.gateway)
        }
        let others = announcers.filter { $0.key != topics.gateway && online.contains($0.key) }
        return others.min { $0.key < $1.key }.map { gateway, device in
            "the gateway \(gateway) announces the device \(device), too; give both gateways the same `fleet`, or remove the "
                + "device from one"
        }
    }
}

extension MQTTConfiguration {
    /// Returns an installation from a machine's ID (machine-id(5)), which must not be published itself.
    package static func installation(ofMachine id: String?) -> String? {
        guard let id, !id.isEmpty else { return nil }
        let text = Array("blekeep gateway \(id)".utf8)
        var digest = [UInt8](repeating: 0, count: 32)
        guard EVP_Digest(text, text.count, &digest, nil, EVP_sha256(), nil) == 1 else { return nil }
        return String(hex: Array(digest.prefix(4)))
    }
}
