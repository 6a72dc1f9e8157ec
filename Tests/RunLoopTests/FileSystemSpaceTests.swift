import RunLoop
import Testing

@Suite struct FileSystemSpaceTests {
    @Test func `a file system has at most its size left`() throws {
        let space = try #require(FileSystemSpace(of: "/"))
        #expect(space.total > 0 && space.free <= space.total)
    }

    @Test func `a file system of the kernel has no room, and no limit of files`() throws {
        let space = try #require(FileSystemSpace(of: "/proc"))
        #expect(space.free == 0 && space.takesFiles)
    }

    @Test func `a path that isn't there has none`() { #expect(FileSystemSpace(of: "/nowhere/at all") == nil) }
}
