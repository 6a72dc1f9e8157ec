/// The viewers of readings: in this process by `attach`, in other processes by `isWatched`.
final class Viewers {
    private let isWatched: (() -> Bool)?
    private let onChange: (Bool) -> Void
    private var count = 0
    private var wasWatched = false

    /// - Parameter onChange: called with `true` for the first viewer, and with `false` after the last.
    init(isWatched: (() -> Bool)?, onChange: @escaping (Bool) -> Void) {
        self.isWatched = isWatched
        self.onChange = onChange
    }

    func attach() {
        count += 1
        if count == 1 { onChange(true) }
    }

    func detach() {
        count -= 1
        if count == 0 { onChange(false) }
    }

    /// Checks for viewers in other processes, if `isTime`.
    func look(if isTime: @autoclosure () -> Bool) {
        guard let isWatched, isTime(), isWatched() != wasWatched else { return }
        wasWatched.toggle()
        if wasWatched { attach() } else { detach() }
    }
}
