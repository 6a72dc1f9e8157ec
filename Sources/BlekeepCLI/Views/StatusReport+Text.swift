import Blekeep
import BlekeepHistory
import BlekeepOutputs

extension StatusReport {
    func lines(width: Int?, on terminal: Terminal) -> [String] {
        let notes = notes(width: width, on: terminal)
        return head(width: width, on: terminal) + [""] + table(width: width, on: terminal) + notes
    }

    /// The status for a window. When rows run out, only the first notes are below the devices.
    func picture(columns: Int, rows: Int, on terminal: Terminal) -> Picture {
        var picture = Picture(
            head: head(width: columns, on: terminal) + [""], table: table(width: columns, on: terminal),
            foot: notes(width: columns, on: terminal))
        if !picture.fits(rows) { picture.foot = Array(picture.foot.prefix(1 + max(1, rows / 6))) }
        return picture
    }

    private func table(width: Int?, on terminal: Terminal) -> [String] {
        StatusTable(report: self).table.lines(width: width, on: terminal)
    }

    private func head(width: Int?, on terminal: Terminal) -> [String] {
        StatusHead(self).lines.lines(width: width, on: terminal)
    }

    /// The lines below the table: failures, dropped values, and copies of the history.
    private func notes(width: Int?, on terminal: Terminal) -> [String] {
        func paragraph(_ lines: [String], paint: Paint) -> [String] {
            guard !lines.isEmpty else { return [] }
            let cut = lines.map { line in width.map { DisplayWidth.cut(sentence: line, to: $0) } ?? line }
            return [""] + cut.map { terminal.paint($0, as: paint) }
        }
        let failures = rankedDevices.compactMap { device in
            device.failure.map {
                "\(Untrusted(device.name)): \(Untrusted(Advice.message($0, of: device.address), limit: 300))"
            }
        }
        let dropped = rankedDevices.filter { $0.dropped.count > 0 }.map { device in
            "\(Untrusted(device.name)): \(Self.words(device.dropped))"
        }
        let filled = rankedDevices.compactMap { device in
            fillingText(of: device.id).map { "\(Untrusted(device.name)): filled \($0)" }
        }
        let disabled = disabled.isEmpty ? [] : ["disabled: \(Untrusted.whole(disabled.joined(separator: ", ")))"]
        let elsewhere = elsewhere.sorted { $0.key < $1.key }.map { gateway, names in
            "\(gateway) reads: \(Untrusted.whole(names.joined(separator: ", ")))"
        }
        return paragraph(failures, paint: isPolling ? .bad : .faint) + paragraph(dropped + filled, paint: .plain)
            + paragraph(disabled + elsewhere, paint: .plain)
            + paragraph(CopyMessages.lines(copies), paint: .warning)
    }

    private static func words(_ values: DroppedValues) -> String {
        "the throttle dropped \(grouped(values.count)) of \(grouped(values.total)) values that it sent by itself"
    }

    /// A count with commas: `1,234`.
    private static func grouped(_ count: Int) -> String {
        var digits = Array(String(max(0, count)))
        for place in stride(from: digits.count - 3, to: 0, by: -3) { digits.insert(",", at: place) }
        return String(digits)
    }

    /// The parts that make `--watch` print again when they change. Ages don't.
    var news: [String] {
        let isStalled = poller.missed?.isStalled ?? false
        let failed = sinks.filter { $0.failure != nil }.map(\.name)
        let state = "\(pid ?? 0) \(isPolling) \(copies.count)"
        let head =
            "\(state) \(poller.outage?.code.rawValue ?? "") \(adapterNews) \(powerText) \(isStalled) \(failed)"
        let firing = rules.filter(\.isFiring).map { "\($0.rule) \($0.device)" }
        return ["\(head) \(firing)"]
            + devices.map {
                "\($0.address) \($0.pause == nil ? $0.state.rawValue : "paused") \($0.failure?.code.rawValue ?? "") \($0.link.isConnected)"
            }
    }

    private var adapterNews: [String] {
        poller.adapters.map { "\($0.name) \($0.isOn) \($0.trouble?.code.rawValue ?? "")" }
    }

    // MARK: Exit code

    /// Checks that all is well. Throws a failure with an empty text, because the status was already printed.
    func check() throws(Failure) {
        if let code = exitCode { throw Failure(code, "") }
    }

    /// The exit code; `nil` when all is well.
    var exitCode: Failure.Code? {
        switch trouble {
        case .notPolling, .allFail: .allFailed
        case .noBluez: .noBluez
        case .noAdapter: .noAdapter
        case .someFail, .ruleFires, .someSinksFail: .someFailed
        case .allNeedUser: .pairing
        case nil: nil
        }
    }
}

extension [StatusHead.Line] {
    func lines(width: Int?, on terminal: Terminal) -> [String] {
        map { line in
            let text = width.map { DisplayWidth.cut(sentence: line.text, to: $0) } ?? line.text
            return terminal.paint(text, as: line.tone.paint)
        }
    }
}

extension StatusTone {
    fileprivate var paint: Paint {
        switch self {
        case .plain: .plain
        case .warning: .warning
        case .bad: .bad
        case .stale: .faint
        }
    }
}
