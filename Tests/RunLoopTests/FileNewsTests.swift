import Foundation
import Testing

@testable import RunLoop

@Suite struct FileNewsTests {
    @Test func reportsChangesOfAFileAndNamesInAFolder() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let file = "\(folder)/file"
        try #require(FileManager.default.createFile(atPath: file, contents: nil))
        try await onRunLoop { loop in
            let gate = Gate(loop)
            var changes: [FileNews.Change] = []
            let news = try FileNews(on: loop) {
                changes += $0
                gate.open()
            }
            #expect(news.follow(file, kinds: .content) && news.follow(folder, kinds: .names))
            #expect(!news.follow("\(folder)/nothing", kinds: .content))
            let handle = try #require(FileHandle(forWritingAtPath: file))
            try handle.write(contentsOf: Data("x".utf8))
            await gate.wait()
            #expect(changes.map(\.name) == [""] && changes.first?.kinds == .content)
            try #require(FileManager.default.createFile(atPath: "\(folder)/new", contents: nil))
            await gate.wait()
            #expect(changes.last?.name == "new" && changes.last?.kinds.isDisjoint(with: .names) == false)
        }
    }

    @Test func aTruncatedStructureIsIgnored() {
        let bytes: [UInt8] = [1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0] + Array("ab\0\0".utf8)
        let changes = FileNews.changes(in: bytes[...])
        #expect(changes.map(\.name) == ["ab"] && changes.first?.kinds == .content)
        for count in 0..<bytes.count { #expect(FileNews.changes(in: bytes.prefix(count)).isEmpty) }
        #expect(FileNews.changes(in: Array(repeating: 0xFF, count: 64)[...]).isEmpty)
    }
}
