import Blekeep
import BlekeepService
import DBus
import Foundation
import FoundationXML

/// The parts of an interface that a contract compares: its members with their signatures, one in each line, unordered.
struct InterfaceDescription: Equatable, CustomStringConvertible {
    var name: String
    var members: Set<String> = []

    var description: String { "\(name)\n  " + members.sorted().joined(separator: "\n  ") }

    init(_ table: any Interface.Type) {
        name = table.name.text
        members = Set(table.members.map(Self.line))
    }

    private init(name: String) { self.name = name }

    private static func line(_ member: any Member) -> String {
        switch member.kind {
        case .method(let inputs, let outputs): method(member.name.text, inputs.map(\.text), outputs.map(\.text))
        case .signal(let contents): signal(member.name.text, contents.map(\.text))
        case .property(let signature, let access): property(member.name.text, signature.text, access.rawValue)
        }
    }

    private static func method(_ name: String, _ inputs: [String], _ outputs: [String]) -> String {
        "method \(name)(\(inputs.joined())) -> (\(outputs.joined()))"
    }

    private static func signal(_ name: String, _ contents: [String]) -> String {
        "signal \(name)(\(contents.joined()))"
    }

    private static func property(_ name: String, _ type: String, _ access: String) -> String {
        "property \(name) \(type) \(access)"
    }

    /// The interfaces that introspection data describes, and the names of the children.
    static func parse(_ xml: String) throws -> (interfaces: [InterfaceDescription], children: [String]) {
        let reader = Reader()
        let parser = XMLParser(data: Data(xml.utf8))
        parser.delegate = reader
        guard parser.parse() else { throw parser.parserError ?? CocoaError(.fileReadCorruptFile) }
        return (reader.interfaces, reader.children)
    }

    private final class Reader: NSObject, XMLParserDelegate {
        var interfaces: [InterfaceDescription] = []
        var children: [String] = []
        private var member = ""
        private var inputs: [String] = []
        private var outputs: [String] = []

        func parser(
            _ parser: XMLParser, didStartElement element: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String]
        ) {
            let name = attributes["name"] ?? ""
            switch element {
            case "interface": interfaces.append(InterfaceDescription(name: name))
            case "method", "signal":
                member = name
                (inputs, outputs) = ([], [])
            case "arg":
                if attributes["direction"] == "out" {
                    outputs.append(attributes["type"] ?? "")
                } else {
                    inputs.append(attributes["type"] ?? "")
                }
            case "property": add(property(name, attributes["type"] ?? "", attributes["access"] ?? ""))
            case "node": if !name.isEmpty { children.append(name) }
            default: break
            }
        }

        func parser(
            _ parser: XMLParser, didEndElement element: String, namespaceURI: String?, qualifiedName: String?
        ) {
            if element == "method" { add(method(member, inputs, outputs)) }
            if element == "signal" { add(signal(member, inputs)) }
        }

        private func add(_ line: String) { interfaces[interfaces.count - 1].members.insert(line) }
    }
}

/// The folder of the contract.
enum Contract {
    static let folder = Repository.root.appending(path: "dbus")

    /// Every table that has a file.
    static let tables: [any Interface.Type] =
        Bluez.interfaces + PowerServices.interfaces + [
            SystemdManager.self, Poller1.self, KeptDevice1.self, PolkitAuthority.self,
            AdvertisementMonitor1.self, Agent1.self, BusDaemon.self, PropertiesInterface.self, ObjectManager.self,
            Introspectable.self, Peer.self,
        ]

    static func file(_ name: String) throws -> InterfaceDescription {
        let url = folder.appending(path: "interfaces/\(name).xml")
        let found = try InterfaceDescription.parse(String(contentsOf: url, encoding: .utf8)).interfaces
        guard found.count == 1, found[0].name == name else { throw CocoaError(.fileReadCorruptFile) }
        return found[0]
    }

    static func fixture(_ name: String) throws -> [InterfaceDescription] {
        let url = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/\(name)")
        return try InterfaceDescription.parse(String(contentsOf: url, encoding: .utf8)).interfaces
    }
}
