import ArgumentParser

struct Completions: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completions",
        abstract: "Print a script that completes commands, options, devices and characteristics.",
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
        let script = CompletionScript(
            Blekeep.completionScript(for: shell.completed), for: shell.completed,
            commands: Blekeep.commandNames)
        try StandardOutput().write(script.text)
    }
}
