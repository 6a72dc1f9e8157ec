/// The course of a number, as a line of blocks.
enum Sparkline {
    private static let blocks = Array("▁▂▃▄▅▆▇█")

    /// Returns a block for each number, scaled from the least to the greatest. Constant numbers get a middle block.
    static func text(_ numbers: some Collection<Double>) -> String {
        guard let least = numbers.min(), let greatest = numbers.max() else { return "" }
        let span = greatest - least
        return String(
            numbers.map { number in
                guard span > 0, span.isFinite else { return blocks[3] }
                let level = (number - least) / span * Double(blocks.count - 1)
                return blocks[min(blocks.count - 1, max(0, Int(level + 0.5)))]
            })
    }
}
