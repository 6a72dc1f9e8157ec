import RunLoop
import Testing

@Suite struct FileSystemSpaceTests {
    @Test func aFileSystemHasAtMostItsSizeLeft() throws {
        let space = try #require(FileSystemSpace(of: "/"))
        #expect(space.total > 0 && space.free <= space.total)
    }

    @Test func aFileSystemOfTheKernelHasNoRoomAndNoLimitOfFiles() throws {
        let space = try #require(FileSystemSpace(of: "/proc"))
        #expect(space.free == 0 && space.takesFiles)
    }

    @Test func aPathThatIsntThereHasNone() { #expect(FileSystemSpace(of: "/nowhere/at all") == nil) }
}
