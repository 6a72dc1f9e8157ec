internal import CLinux
import Glibc

/// The width of text on a terminal, in columns: a row stays aligned when its device is called "Fridge ✅".
enum DisplayWidth {
    static func of(_ text: String) -> Int {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
        return widths(of: Array(text.unicodeScalars)).reduce(0, +)
    }

    /// Returns the text cut to this width, with `…` in place of its end or its beginning.
    static func cut(_ text: String, to columns: Int, keepsEnd: Bool = false) -> String {
        guard of(text) > columns else { return text }
        guard columns > 0 else { return "" }
        var kept = String.UnicodeScalarView()
        var used = 1
        let scalars = keepsEnd ? text.unicodeScalars.reversed() : Array(text.unicodeScalars)
        for (scalar, width) in zip(scalars, widths(of: scalars)) {
            used += width
            guard used <= columns else { break }
            kept.append(scalar)
        }
        return keepsEnd ? "…" + String(String.UnicodeScalarView(kept.reversed())) : String(kept) + "…"
    }

    /// Returns a sentence cut to this width between two words, with `…` in place of its end.
    static func cut(sentence: String, to columns: Int) -> String {
        guard of(sentence) > columns else { return sentence }
        let short = cut(sentence, to: columns - 1)
        // Without a space, cut inside the word.
        guard let space = short.lastIndex(of: " ") else { return cut(sentence, to: columns) }
        return short[..<space] + " …"
    }

    /// Returns a list with commas cut to this width between two items, with `…` in place of its end.
    static func cut(list: String, to columns: Int) -> String {
        guard of(list) > columns else { return list }
        var kept = ""
        for item in list.split(separator: ", ") {
            let longer = kept.isEmpty ? String(item) : "\(kept), \(item)"
            guard of(longer) + 2 <= columns else { break }
            kept = longer
        }
        return kept.isEmpty ? cut(sentence: list, to: columns) : kept + " …"
    }

    /// Knows all characters, whatever the user's locale is.
    nonisolated(unsafe) private static let locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", nil)

    /// Terminals draw the parts of a joined emoji, such as of a family, one beside the other, unless they know better.
    private static func widths(of scalars: [Unicode.Scalar]) -> [Int] {
        let before = uselocale(locale)
        defer { uselocale(before) }
        return scalars.map { scalar in
            let width = Int(wcwidth(wchar_t(scalar.value)))
            return width < 0 ? 1 : width
        }
    }
}
