import ArgumentParser
import Blekeep

struct Completions: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completions", abstract: "Print a script that completes commands, options and device aliases.",
        discussion: """
            Examples:
              blekeep completions bash | sudo tee /usr/share/bash-completion/completions/blekeep >/dev/null
              blekeep completions zsh > ~/.zfunc/_blekeep
              blekeep completions fish > ~/.config/fish/completions/blekeep.fish
            """)

    @Argument(help: "bash, zsh or fish.")
    var shell: Shell

    enum Shell: String, ExpressibleByArgument, CaseIterable {
        case bash, zsh, fish

        var completed: CompletionShell {
            switch self {
            case .bash: .bash
            case .zsh: .zsh
            case .fish: .fish
            }
        }
    }

    func run() throws {
        try StandardOutput().write(Blekeep.completionScript(for: shell.completed))
    }
}

extension CompletionKind {
    /// The aliases of the configured devices, or the addresses of devices without one.
    static let device = CompletionKind.custom { _, _, _ in
        guard let options = try? GlobalOptions.parse([]) else { return [] }
        let configuration = try? Composition.loadConfiguration(options)?.configuration
        return configuration?.devices.map(\.name) ?? []
    }
}
