import ArgumentParser
import Blekeep
import BlekeepOutputs

struct Version: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "version", abstract: "Print the version.",
        discussion: """
            Example:
              blekeep version --json
            """)

    static let text = BlekeepVersion.text

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        let object: JSON = .object(["name": "blekeep", "version": .text(Self.text)])
        try StandardOutput().write((json ? object.text : "blekeep \(Self.text)") + "\n")
    }
}
