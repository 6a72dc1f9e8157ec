import ArgumentParser

/// The completion script of a shell: the parser's, with what it lacks.
struct CompletionScript {
    private(set) var text: String

    /// - Parameters:
    ///   - script: the parser's script.
    ///   - commands: the names of the commands, for `help`.
    init(_ script: String, for shell: CompletionShell, commands: [String]) {
        text = script
        let names = commands.joined(separator: " ")
        switch shell {
        case .bash:
            let helpEnd = "__blekeep_offer_flags_options -1\n}\n\ncomplete "
            replace(
                helpEnd,
                by:
                    "__blekeep_offer_flags_options -1\n    __blekeep_add_completions -W '\(commands.joined(separator: "\n"))'\n}\n\ncomplete "
            )
            replace("complete -o filenames -F _blekeep blekeep", by: Self.colons)
        case .zsh: replace("'*:subcommands:'", by: "'*:subcommands:(\(names))'")
        case .fish:
            text +=
                "\ncomplete -c 'blekeep' -n '__blekeep_should_offer_completions_for_positional \"blekeep help\" -ge 1' "
                + "-fka '\(names)'\n"
        default: break
        }
    }

    /// Without the part, the script still completes most; `HelpTests` fails then.
    private mutating func replace(_ part: String, by new: String) {
        guard let range = text.firstRange(of: part) else { return }
        text.replaceSubrange(range, with: new)
    }

    /// Bash splits words at colons, which addresses have. The parser's function gets whole words, and bash gets the part of
    /// the completion after the last colon.
    private static let colons = """
        _blekeep_with_colons() {
            local -a words=()
            local -i index cursor=0
            local rest="${COMP_LINE}" word isJoined=false
            for index in "${!COMP_WORDS[@]}"; do
                word="${COMP_WORDS[${index}]}"
                # A word that follows without a space belongs to the word before.
                if [[ "${index}" -gt 0 && "${rest}" != [[:space:]]* && ( "${word}" = :* || "${isJoined}" = true ) ]]; then
                    words[${#words[@]}-1]+="${word}"
                else
                    words+=("${word}")
                fi
                [[ "${index}" -eq "${COMP_CWORD}" ]] && cursor="$((${#words[@]} - 1))"
                [[ "${word}" = *: ]] && isJoined=true || isJoined=false
                rest="${rest#"${rest%%[![:space:]]*}"}"
                rest="${rest#"${word}"}"
            done
            local -a COMP_WORDS=("${words[@]}")
            local -i COMP_CWORD="${cursor}"
            local current="${COMP_WORDS[${COMP_CWORD}]}"
            _blekeep "${1}" "${current}" "${COMP_WORDS[$((COMP_CWORD > 0 ? COMP_CWORD - 1 : 0))]}"
            [[ "${current}" = *:* && "${COMP_WORDBREAKS}" = *:* ]] || return 0
            for index in "${!COMPREPLY[@]}"; do
                COMPREPLY[${index}]="${COMPREPLY[${index}]#"${current%"${current##*:}"}"}"
            done
        }

        complete -o filenames -F _blekeep_with_colons blekeep
        """
}
