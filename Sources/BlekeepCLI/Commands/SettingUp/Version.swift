import ArgumentParser
import Blekeep
import BlekeepOutputs
import CBuild

struct Version: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "version", abstract: "Print the version.",
        discussion: """
            Example:
              blekeep version --json
            """)

    static let text = BlekeepVersion.text

    /// The commit of a package's programs, and its date.
    private static let commit = String(cString: commit_of_build)

    /// The version, and in a package its commit.
    static let ofBuild = commit.isEmpty ? text : "\(text) (\(commit))"

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        let object: JSON = .object([
            "name": "blekeep", "version": .text(Self.text), "commit": Self.commit.isEmpty ? .null : .text(Self.commit),
        ])
        try StandardOutput().write((json ? object.text : "blekeep \(Self.ofBuild)") + "\n")
    }
}
