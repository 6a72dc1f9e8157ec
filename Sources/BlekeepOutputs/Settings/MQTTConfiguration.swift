import BlekeepRecords

/// The MQTT broker to send readings to.
package struct MQTTConfiguration: Sendable, Hashable {
    package enum Version: String, Sendable, Hashable, CaseIterable {
        /// 5 where libmosquitto survives each answer, and otherwise 3.1.1.
        case auto
        case v5 = "5"
        case v311 = "3.1.1"
    }

    package var host: String
    /// 1 to 65535; usually 1883, and 8883 with TLS.
    package var port: Int
    /// Whether TLS encrypts the connection and verifies the broker's certificate and name.
    package var isEncrypted: Bool
    package var version = Version.auto
    package var user: String?
    /// The file with the password: a path, or a credential's name; `nil` without a password.
    package var passwordFile: String?
    /// The certificates of the authorities to trust; `nil` for the system's.
    package var caFile: String?
    /// This client's own certificate and its key; both or none.
    package var certificateFile: String?
    package var keyFile: String?
    /// The first part of each topic.
    package var base = "blekeep"
    /// The second part of the gateway's own topics, unique for each gateway.
    package var gateway: String
    /// The second part of the topics of devices, the same for all gateways that may read them; `nil` for `gateway`.
    package var fleet: String?
    /// Tells two machines of one `gateway` apart; `nil` when unknown.
    package var installation: String?
    /// The longest silence on the connection; `nil` for the usual one. After one and a half of it, the broker takes the
    /// gateway for gone.
    package var ownKeepAlive: Duration?
    /// The number of readings of the backlog to send per second.
    package var backlogRate = 50
    /// The first part of Home Assistant's discovery topics; `nil` for no discovery.
    package var discovery: String? = "homeassistant"

    /// The commands that the broker's users may send; none unless configured.
    package var commands: Set<Command> = []

    package enum Command: String, Sendable, Hashable, CaseIterable {
        /// Read a device now.
        case poll
        /// Pause a device, and resume it.
        case pause
        /// Write a characteristic that the configuration allows to write.
        case set
    }

    /// The client's name, for which the broker has one connection at a time.
    package var clientName: String { ["blekeep", gateway, installation].compactMap(\.self).joined(separator: "-") }

    /// 60 s, or 20 s in a fleet, so that the others know after 30 s that a gateway is gone.
    package var keepAlive: Duration {
        get { ownKeepAlive ?? (fleet == nil ? .seconds(60) : .seconds(20)) }
        set { ownKeepAlive = newValue }
    }

    package static let keepAlives: ClosedRange<Duration> = .seconds(5) ... .seconds(3600)
    package static let backlogRates = 1...10_000

    package init(host: String, port: Int, isEncrypted: Bool, gateway: String) {
        self.host = host
        self.port = port
        self.isEncrypted = isEncrypted
        self.gateway = gateway
    }

    /// The first libmosquitto that survives a packet of MQTT 5 with a property that it doesn't know. Older ones end the process:
    /// their log has no client there, and they assert that it has one.
    static let soundLibrary = 2_000_016

    /// Whether blekeep speaks MQTT 5, and not 3.1.1.
    ///
    /// - Parameter library: libmosquitto's version as a number, such as 2000016 for 2.0.16.
    package func isVersion5(with library: Int = MosquittoClient.libraryVersion) -> Bool {
        switch version {
        case .auto: library >= Self.soundLibrary
        case .v5: true
        case .v311: false
        }
    }

    /// What is wrong with the version; `nil` for nothing.
    package func versionWarning(with library: Int = MosquittoClient.libraryVersion) -> String? {
        guard version == .v5, library < Self.soundLibrary else { return nil }
        let name = "\(library / 1_000_000).\(library / 1000 % 1000).\(library % 1000)"
        return
            "libmosquitto \(name) aborts when a broker sends a property of MQTT 5 that it doesn't know, and blekeep ends with it; remove `version: 5`, or install 2.0.16 or newer"
    }

    /// Whether a text may be a part of a topic, and of an identifier in Home Assistant.
    package static func isTopicPart(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0.isLetter || $0.isDigit || "_-".utf8.contains($0) }
    }
}
