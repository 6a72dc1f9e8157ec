import BlekeepOutputs

/// Messages about files that blekeep has put aside beside a history.
package enum CopyMessages {
    package static func lines(_ copies: [HistoryCopy]) -> [String] {
        guard !copies.isEmpty else { return [] }
        let damaged = copies.count(where: \.isDamaged)
        var head = "put aside beside the history; delete what you don't need, blekeep never does:"
        if damaged >= HistoryCopies.most {
            head = "\(damaged) damaged histories, and no more are put aside: check the disk, then move or delete them:"
        }
        return [head] + copies.map { "  \(text($0))" }
    }

    package static func text(_ copy: HistoryCopy) -> String {
        let kilobytes = (copy.size + 1023) / 1024
        let what = copy.isDamaged ? "damaged history" : "log of a history that another program removed"
        return "\(Untrusted.whole(copy.path)) (\(what), \(kilobytes) KiB)"
    }
}
