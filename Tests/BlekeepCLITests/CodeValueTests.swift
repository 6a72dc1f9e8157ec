import Blekeep
import BlekeepHistory
import Foundation
import Testing

@testable import BlekeepCLI
@testable import BlekeepOutputs

/// The words of the sources that programs and users see. The values that programs match have one spelling, as
/// `OutputFormats.md` says.
@Suite struct CodeValueTests {
    private struct Table {
        let name: String
        let values: [String]

        init<T: CaseIterable & RawRepresentable<String>>(_ type: T.Type, without foreign: [T] = []) {
            name = "\(type)"
            let others = Set(foreign.map(\.rawValue))
            values = type.allCases.map(\.rawValue).filter { !others.contains($0) }
        }
    }

    private static let tables = [
        // D-Bus names a call without a reply.
        Table(FailureCode.self, without: [.timeout, .noReply]),
        Table(Attempt.Phase.self), Table(BluetoothError.Code.self), Table(BroadcastFormat.self),
        Table(Downtime.Cause.self), Table(Endian.self), Table(Finding.State.self), Table(Heartbeat.State.self),
        Table(LineFormat.self), Table(LinkEnd.self), Table(LinkMode.self),
        Table(LogKey.self), Table(MQTTConfiguration.Command.self), Table(NoticeEvent.self),
        Table(PairingError.Reason.self),
        Table(PointSecurity.self), Table(PowerChoice.self), Table(PowerMode.self), Table(PowerState.self),
        Table(ScanMode.self), Table(RecoveryStep.self), Table(Remedy.self), Table(ShownState.self),
        Table(SleepCause.self),
        Table(Standby.Report.self),
        Table(StatusTone.self), Table(StatusTrouble.self), Table(StopPolicy.self), Table(DeviceStatus.Link.self),
        Table(DeviceStatus.IntervalReason.self),
        Table(DeviceCondition.State.self), Table(GatewayStatus.Adapter.Trouble.Code.self),
        Table(Checksum.self), Table(Exchange.Kind.self), Table(Recipe.Connection.self), Table(Recipe.Log.Clock.self),
        Table(Recipe.Piece.Number.self),
        Table(DerivedValue.self), Table(Rule.Direction.self), Table(RuleStatus.Phase.self), Table(SwitchBotModel.self),
        Table(GatewayStatus.Adapter.Listening.self), Table(LogMode.self), Table(TankMedium.self),
        Table(TickOutcome.self),
        Table(TickReason.self),
    ]

    /// Enumerations whose values are words of others, of the command line, or of the program's own code.
    private static let others: Set = [
        // The names of cells begin with a digit.
        "Battery",
        "Access", "AddressType", "Asset", "Comparison", "Component", "Endpoint",
        "EnvironmentVariable",
        "FileFormat",
        "Flag",
        "Form", "Frame", "Kind", "ReportRange", "Order", "Page", "PageRange", "PairingCapability", "Permission",
        "Place",
        "PasswordMethod", "RealFormat", "Shell", "Version",
    ]

    @Test(arguments: tables.indices) func valuesAreInLowerCaseWithUnderscores(index: Int) {
        let table = Self.tables[index]
        let odd = table.values.filter { $0.wholeMatch(of: /[a-z][a-z0-9_]*/) == nil }
        #expect(!table.values.isEmpty && odd.isEmpty, "\(table.name): \(odd)")
    }

    /// The texts of the Swift files in a folder of `Sources`.
    private static func sources(in folder: String = "") throws -> [(name: String, text: String)] {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<3 { root.deleteLastPathComponent() }
        let files = FileManager.default.enumerator(
            at: root.appendingPathComponent("Sources/\(folder)"), includingPropertiesForKeys: nil)
        var sources: [(String, String)] = []
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift" else { continue }
            sources.append((file.lastPathComponent, try String(contentsOf: file, encoding: .utf8)))
        }
        return sources
    }

    @Test func everyEnumerationOfWordsIsInOneOfTheLists() throws {
        let found = try Self.sources().flatMap { source in
            source.text.matches(of: /enum (\w+): String\b/).map { String($0.output.1) }
        }
        #expect(Set(found) == Self.others.union(Self.tables.map(\.name)))
    }

    /// The library's users have no command: its messages say what is needed, and `Advice` adds what to run.
    @Test(arguments: ["Readings", "Bluetooth", "KeepAlive", "Records", "Poller"])
    func theLibraryNamesNoCommand(target: String) throws {
        let sources = try Self.sources(in: "Blekeep\(target)")
        #expect(sources.count > 5)
        let commands = Set(BlekeepCLI.Blekeep.commandNames)
        for (name, text) in sources {
            for line in text.split(separator: "\n") where !line.contains(/^ *\/\//) {
                let words = line.matches(of: /blekeep ([a-z-]+)/).map { String($0.output.1) }
                #expect(commands.isDisjoint(with: words), "\(name): \(line)")
            }
        }
    }

    /// Otherwise an error that a program prints looks like `CredentialError(message: …)`. An error that never leaves its file
    /// is private.
    @Test func everyErrorIsASentence() throws {
        let all = try Self.sources().map { $0.text.replacing(/\/\/.*/, with: "") }
        let declaration =
            /((?:private |fileprivate )?)(struct|enum|class|actor|extension) ([\w.]+)(?:<[^>{]*>)? ?: ?([^{]*)\{/
        let found = all.flatMap { text in text.matches(of: declaration).map(\.output) }
        let refined = all.flatMap { $0.matches(of: /protocol (\w+) ?: ?([^{]*)\{/).map(\.output) }
            .filter { Self.names($0.2).contains("Error") }.map { String($0.1) }
        let errors = Set(["Error"] + refined)
        let describes = Set(
            found.filter { Self.names($0.4).contains("CustomStringConvertible") }
                .map { String($0.3.split(separator: ".").last ?? "") })
        let types = found.filter { $0.2 != "extension" && !Self.names($0.4).isDisjoint(with: errors) }
        #expect(types.count > 20)
        for type in types where type.1.isEmpty {
            #expect(describes.contains(String(type.3)), "\(type.3) has no description")
        }
    }

    private static func names(_ list: Substring) -> Set<String> {
        Set(list.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map { String($0) })
    }
}
