import RunLoop
import Testing

@testable import BlekeepKeepAlive

@Suite struct WorkSectionsTests {
    private func make() -> WorkSections {
        var sections = WorkSections()
        for id in 1...3 { sections.begin(id, name: "work \(id)", until: .start + .seconds(10 * id)) }
        return sections
    }

    @Test func expiresASectionOnceWhenItsBudgetIsUsedUp() {
        var sections = make()
        #expect(sections.nextEnd == .start + .seconds(10))
        let overdue = (0..<2).map { _ in sections.expireOverdue(at: .start + .seconds(20)).map(\.name) }
        #expect(overdue == [["work 1", "work 2"], []])
        #expect(sections.nextEnd == .start + .seconds(30))
    }

    @Test func expiresTheLatestSectionFirstBeforeASleep() {
        var sections = make()
        _ = sections.expireOverdue(at: .start + .seconds(10))
        #expect(!sections.areExpired)
        let expired = sections.expireAll()
        #expect(expired == [3, 2])
        #expect(sections.areExpired && !sections.isEmpty && sections.nextEnd == .never)
    }

    @Test func forgetsASectionThatEnded() {
        var sections = make()
        sections.end(2)
        #expect(sections.names == ["work 1", "work 3"])
    }
}
