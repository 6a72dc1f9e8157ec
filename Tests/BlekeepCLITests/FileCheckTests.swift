import Foundation
import Testing

@testable import BlekeepCLI

/// What `doctor` says of the places of files.
@Suite struct FileCheckTests {
    private let folder = NSTemporaryDirectory() + "blekeep-\(UUID().uuidString.prefix(8))"

    init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

    private func check(_ path: String, createsFolders: Bool = false) -> FileCheck {
        FileCheck(name: "file", path: path, key: "sinks: file", createsFolders: createsFolders, growth: "it grows")
    }

    @Test func aPlaceForAFileIsGood() throws {
        #expect(check(folder + "/new").run().state != .fail)
        try Data().write(to: URL(fileURLWithPath: folder + "/old"))
        #expect(check(folder + "/old").run().state != .fail)
    }

    @Test func aMissingFolderFailsUnlessBlekeepCreatesIt() {
        let path = folder + "/a/b/file"
        #expect(check(path, createsFolders: true).run().state != .fail)
        let finding = check(path).run()
        #expect(finding.text == "the folder \(folder)/a/b doesn't exist" && finding.state == .fail)
        #expect(finding.advice == "create it, or change 'sinks: file:' in the configuration")
    }

    @Test func aFileOfAGroupIsReadByIt() throws {
        let group = String(cString: try #require(getgrgid(getegid())).pointee.gr_name)
        func mode(_ name: String, group: String) throws -> Int? {
            try NewFile.write("right\n", to: "\(folder)/\(name)", isPrivate: true, group: group)
            return try FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")[.posixPermissions] as? Int
        }
        #expect(try mode("shared", group: group) == 0o640)
        #expect(try mode("own", group: "no-such-group") == 0o600)
    }

    @Test func aFolderOrADeviceIsNoFile() {
        #expect(check(folder).run().text == "\(folder) isn't a plain file")
        #expect(check("/dev/null").run().text == "/dev/null isn't a plain file")
    }

    @Test func aFullDiskFails() {
        let check = check("/srv/readings")
        #expect(check.finding(free: 0) == .fail("file", text: "/srv/readings: the disk is full", advice: "make room"))
        #expect(
            check.finding(free: 99) == .warn("file", text: "/srv/readings, 99 MiB free", advice: "make room: it grows"))
        #expect(check.finding(free: 100) == .ok("file", text: "/srv/readings, 100 MiB free"))
    }
}
