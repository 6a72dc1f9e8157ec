import Blekeep
import BlekeepHistory
import BlekeepOutputs
import Foundation
import Testing

@testable import BlekeepCLI

/// The values that programs match have one spelling, as `OutputFormats.md` says.
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
        Table(RecoveryStep.self), Table(Remedy.self), Table(ShownState.self), Table(SleepCause.self),
        Table(StatusTone.self), Table(StatusTrouble.self), Table(StopPolicy.self), Table(DeviceStatus.Link.self),
        Table(DeviceStatus.IntervalReason.self),
        Table(DeviceCondition.State.self), Table(GatewayStatus.Adapter.Trouble.Code.self),
        Table(Checksum.self), Table(Recipe.Connection.self), Table(Recipe.Piece.Number.self),
        Table(TankMedium.self), Table(TickOutcome.self), Table(TickReason.self),
    ]

    /// Enumerations whose values are words of others, of the command line, or of the program's own code.
    private static let others: Set = [
        "Access", "AddressType", "Anchor", "Asset", "Component", "DecodeBatch", "EnvironmentVariable", "FileFormat",
        "Flag",
        "Form", "Frame", "Kind", "NightRange", "Page", "PageRange", "PairingCapability", "Path", "Permission", "Place",
        "PowerFault", "RealFormat", "Shell", "Version",
    ]

    @Test(arguments: tables.indices) func valuesAreInLowerCaseWithUnderscores(index: Int) {
        let table = Self.tables[index]
        let odd = table.values.filter { $0.wholeMatch(of: /[a-z][a-z0-9_]*/) == nil }
        #expect(!table.values.isEmpty && odd.isEmpty, "\(table.name): \(odd)")
    }

    @Test func everyEnumerationOfWordsIsInOneOfTheLists() throws {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<3 { root.deleteLastPathComponent() }
        root.appendPathComponent("Sources")
        let files = try #require(FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil))
        var found: Set<String> = []
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            found.formUnion(text.matches(of: /enum (\w+): String\b/).map { String($0.output.1) })
        }
        #expect(found == Self.others.union(Self.tables.map(\.name)))
    }
}
