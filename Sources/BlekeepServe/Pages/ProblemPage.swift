import BlekeepOutputs
import RunLoop

extension Problem {
    /// The problem as a page for people.
    var page: Answer {
        let clock = PageClock(now: WallClock.milliseconds())
        let part: Markup = """
            <section class="summary empty" id="summary" aria-labelledby="title"><h1 id="title">\(title)</h1>
            <p>\(Sentence(sentence))</p><p><a href="/">Show the overview</a></p></section>
            """
        let frame = PageFrame(title: title, place: nil, clock: clock, content: PageContent(parts: [part]))
        var answer = Answer.page(frame, isWhole: true, status: status.rawValue)
        answer.headers += headers
        return answer
    }

    /// - Parameter accept: the types that the client accepts.
    func answer(accept: String) -> Answer { accept.contains("text/html") ? page : answer }
}
