import Foundation
import Testing

@testable import BlekeepService

@Suite struct PolkitPolicyTests {
    @Test func polkitKnowsEveryAction() throws {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<3 { root.deleteLastPathComponent() }
        let file = root.appendingPathComponent("dbus/polkit-1/actions/org.blekeep.policy")
        let policy = try String(contentsOf: file, encoding: .utf8)
        let actions = policy.matches(of: /<action id="(.*)">/).map { "\($0.1)" }
        #expect(Set(actions) == Set(ServiceMethod.Permission.allCases.map(\.rawValue)))
    }
}
