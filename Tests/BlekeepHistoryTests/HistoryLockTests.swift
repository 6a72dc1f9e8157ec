import BlekeepRecords
import Foundation
import SampleReadings
import Testing

@testable import BlekeepHistory

/// The lock beside a history, and the modes of its files.
@Suite struct HistoryLockTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("history.sqlite")
    }

    private func mode(_ name: String) -> mode_t? {
        var status = stat()
        return lstat(folder.file(name), &status) == 0 ? status.st_mode & 0o777 : nil
    }

    @Test(arguments: [false, true]) func saysWhetherItsHolderEndsByItself(isOneOff: Bool) throws {
        let history = try History(path: path, isOneOff: isOneOff)
        #expect(HistoryHolder.process(of: path) == getpid())
        #expect(HistoryHolder.isOneOff(of: path) == isOneOff)
        #expect(HistoryLock.isSigned(path))
        #expect(throws: HistoryError.inUse(path: path, pid: getpid())) { _ = try History(path: path) }
        history.close()
        _ = try History(path: path)
        #expect(!HistoryHolder.isOneOff(of: path))
    }

    @Test func aLinkToAHistoryMeetsTheSameLock() throws {
        try FileManager.default.createDirectory(atPath: folder.file("other"), withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("other/second.sqlite"), withDestinationPath: "../history.sqlite")
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("folder"), withDestinationPath: folder.path)
        let first = try History(path: path)
        _ = try first.append([try makeReading()], durable: true)
        for other in [folder.file("other/second.sqlite"), folder.file("folder/history.sqlite")] {
            #expect(throws: HistoryError.inUse(path: other, pid: getpid())) { _ = try History(path: other) }
            #expect(HistoryHolder.process(of: other) == getpid())
            var count = 0
            try HistoryReader(path: other).readings { _ in count += 1 }
            #expect(count == 1)
            HistoryWatch.look(at: other)
            #expect(HistoryWatch.isFresh(path))
            unlink("\(path).watch")
        }
        first.close()
        // Through a link that leads nowhere yet the history is made where the link says.
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("new.sqlite"), withDestinationPath: "other/target.sqlite")
        _ = try History(path: folder.file("new.sqlite"))
        #expect(mode("other/target.sqlite") != nil)
        #expect(mode("new.sqlite.lock") == nil)
    }

    @Test func aCircleOfLinksIsAnError() throws {
        symlink("b", folder.file("a"))
        symlink("a", folder.file("b"))
        let error = #expect(throws: HistoryError.self) { _ = try History(path: folder.file("a")) }
        #expect(error?.description.contains("symbolic links") == true)
    }

    @Test func aLockThatLeadsElsewhereIsRefusedAndNothingIsWritten() throws {
        try "42\n".write(toFile: folder.file("precious"), atomically: false, encoding: .utf8)
        symlink(folder.file("precious"), "\(path).lock")
        let error = #expect(throws: HistoryError.self) { _ = try History(path: path) }
        #expect(error?.description.contains("\(path).lock isn't a regular file") == true)
        unlink("\(path).lock")
        mkfifo("\(path).lock", 0o600)
        #expect(throws: HistoryError.self) { _ = try History(path: path) }
        unlink("\(path).lock")
        // Another name of a file that is in use otherwise: it is locked, and stays as it is.
        link(folder.file("precious"), "\(path).lock")
        _ = try History(path: path)
        unlink("\(path).lock")
        try "precious".write(toFile: "\(path).lock", atomically: false, encoding: .utf8)
        _ = try History(path: path)
        #expect(try String(contentsOfFile: "\(path).lock", encoding: .utf8) == "precious")
        #expect(try String(contentsOfFile: folder.file("precious"), encoding: .utf8) == "42\n")
    }

    @Test func otherUsersCannotReadAHistory() throws {
        let old = umask(0)
        defer { umask(old) }
        let history = try History(path: path) { Issue.record("\($0)") }
        _ = try history.append([try makeReading()], durable: true)
        for suffix in ["", "-wal", "-shm", ".lock"] { #expect(mode("history.sqlite\(suffix)") == 0o640) }
    }

    @Test func belowAHomeOnlyItsOwnerMay() {
        #expect(HistoryMode.widest(for: "/home/ada/.local/state/blekeep/history.sqlite", home: nil) == 0o600)
        #expect(HistoryMode.widest(for: "/root/h.sqlite", home: nil) == 0o600)
        #expect(HistoryMode.widest(for: "/srv/ada/h.sqlite", home: "/srv/ada") == 0o600)
        #expect(HistoryMode.widest(for: "/srv/adam/h.sqlite", home: "/srv/ada") == 0o640)
        #expect(HistoryMode.widest(for: "/var/lib/blekeep/history.sqlite", home: "/home/ada") == 0o640)
    }

    @Test func anOldHistoryIsClosedToOthersAndThatIsSaidOnce() throws {
        try History(path: path).close()
        try "x".write(toFile: folder.file("elsewhere"), atomically: false, encoding: .utf8)
        chmod(folder.file("elsewhere"), 0o644)
        chmod(path, 0o644)
        chmod("\(path).lock", 0o664)
        symlink(folder.file("elsewhere"), "\(path)-shm")
        nonisolated(unsafe) var notices: [String] = []
        for _ in 0..<2 {
            // SQLite itself follows no link there: only the modes matter here.
            _ = try? History(path: path) { notices.append($0) }
            unlink("\(path)-shm")
        }
        #expect(mode("history.sqlite") == 0o640)
        #expect(mode("history.sqlite.lock") == 0o640)
        #expect(mode("elsewhere") == 0o644)
        #expect(notices == ["other users could read the history \(path); its files have the mode 0640 now"])
    }
}
