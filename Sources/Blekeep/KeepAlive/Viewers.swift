/// Who looks at what is read: in this process by `attach`, from others by what `isWatched` finds.
final class Viewers {
    private let isWatched: (() -> Bool)?
    private let onChange: (Bool) -> Void
    private var count = 0
    private var wasWatched = false

    /// - Parameter onChange: told of the first who comes, and when the last has gone.
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

    /// Looks for those in other processes, if any may look and `isTime`.
    func look(if isTime: @autoclosure () -> Bool) {
        guard let isWatched, isTime(), isWatched() != wasWatched else { return }
        wasWatched.toggle()
        if wasWatched { attach() } else { detach() }
    }
}
