import Glibc
import Killing

/// `blekeep-killing history`: kills at any moment of commits and upkeep, and power cuts.
enum HistoryCommand {
    /// - Returns: whether all went well.
    static func run(_ words: ArraySlice<String>) throws -> Bool {
        func number(_ name: String, _ otherwise: Int) -> Int {
            words.firstIndex(of: name).flatMap { words.dropFirst($0 - words.startIndex + 1).first }.flatMap { Int($0) }
                ?? otherwise
        }
        let seed = UInt64(number("--seed", 1))
        let (kills, images) = (number("--kills", 10_000), number("--images", 2000))
        var said = 0
        let killed = try HistoryKills.run(kills, seed: seed, program: "/proc/self/exe") { tally in
            guard tally.kills >= said + 1000 else { return }
            said = tally.kills
            say("  \(tally.kills) kills, \(tally.problems.count) bad")
        }
        let moments = killed.moments.sorted { $0.value > $1.value }.map { "\($0.value) \($0.key)" }
        say("kills: \(killed.kills) (\(moments.joined(separator: ", ")))")
        say(
            "  \(killed.readings) readings acknowledged, \(killed.trimmed) of them made room; opened within "
                + "\(killed.slowestOpening); \(killed.problems.count) bad")
        for problem in killed.problems { say("  \(problem)") }
        let torn = try TornImages.run(images, seed: seed)
        say(
            "torn images: \(torn.images), \(torn.takenOver) of them while an earlier version's was taken over, "
                + "\(torn.shortened) without the newest commits, \(torn.readings) readings recounted; opened within \(torn.slowestOpening); \(torn.problems.count) bad"
        )
        for problem in torn.problems { say("  \(problem)") }
        return killed.problems.isEmpty && torn.problems.isEmpty
    }

    private static func say(_ line: String) {
        print(line)
        fflush(nil)
    }
}
