import Blekeep
import Yams

/// The commands of `blekeep notices`.
extension ConfigurationParser {
    static let noticeKeys = ["run", "events", "hold_off", "timeout", "battery"]

    /// Reads an item of `notices:`.
    mutating func notice(_ node: Node) -> NoticeConfiguration? {
        guard let entries = reader.mapping(node, what: "a notice", keys: Self.noticeKeys) else { return nil }
        guard let run = entries["run"] else {
            reader.note(
                "a notice needs the command to `run`; add one, such as `run: [/usr/local/bin/notify]`",
                at: reader.place(of: node))
            return nil
        }
        let nodes = reader.list(run, what: "the program and its arguments")
        let command = nodes.compactMap { word($0, of: "run", what: "a program or an argument") }
        guard let program = command.first, command.count == nodes.count else { return nil }
        guard program.hasPrefix("/") else {
            reader.note("\(Quoted.text(program)) isn't an absolute path of a program", at: reader.place(of: nodes[0]))
            return nil
        }
        var notice = NoticeConfiguration(command: command)
        if let events = entries["events"] {
            notice.events = Set(reader.list(events, what: "events").compactMap { event($0) })
        }
        if let duration = reader.duration(entries["hold_off"], in: NoticeConfiguration.holdOffs) {
            notice.holdOff = duration
        }
        if let duration = reader.duration(entries["timeout"], in: NoticeConfiguration.timeouts) {
            notice.timeout = duration
        }
        if let battery = reader.integer(entries["battery"], in: NoticeConfiguration.batteries) {
            notice.battery = battery
        }
        return notice
    }

    private mutating func event(_ node: Node) -> NoticeEvent? {
        guard let text = word(node, of: "events", what: "an event") else { return nil }
        if let event = NoticeEvent(rawValue: text) { return event }
        let all = NoticeEvent.allCases.map(\.rawValue).joined(separator: ", ")
        reader.note("\(Quoted.text(text)) isn't an event; `events` can have \(all)", at: reader.place(of: node))
        return nil
    }

    private mutating func word(_ node: Node, of key: String, what: String) -> String? {
        reader.text(YAMLEntry(key: key, place: reader.place(of: node), node: node), what: what)
    }
}
