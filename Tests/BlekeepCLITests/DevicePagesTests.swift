import BlekeepConfiguration
import Foundation
import Testing

@testable import BlekeepCLI

/// The pages of families of sensors, in `Blekeep.docc/Devices`.
@Suite struct DevicePagesTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Sources/Blekeep/Blekeep.docc").standardizedFileURL
    private static let index = "DevicesByMaker.md"
    private static let pages =
        (try? FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "Devices").path))?
        .filter { $0 != index }.sorted() ?? []

    private static func text(_ page: String) throws -> String {
        try String(contentsOf: folder.appending(path: page), encoding: .utf8)
    }

    @Test(arguments: pages) func theConfigurationToCopyIsRight(page: String) throws {
        let blocks = try Self.text("Devices/\(page)").components(separatedBy: "```")
        let examples = blocks.compactMap { $0.hasPrefix("yaml\n") ? String($0.dropFirst(5)) : nil }
        #expect(!examples.isEmpty)
        for example in examples {
            let part = ConfigurationPart(example, file: page, names: Composition.characteristicNames)
            #expect(part.problems.map(\.message) == [])
        }
    }

    /// Only the page of standard services is about no format and no recipe.
    @Test func formatsAndRecipesHaveTheirPage() throws {
        let links = try Self.text("AdvertisingSensors.md").matches(of: /\n\| \[[^\]]*\]\(doc:(\w+)\) \| `(\w+)`/)
        let linked = Dictionary(grouping: links) { String($0.output.1) }.mapValues { $0.map { String($0.output.2) } }
        #expect(
            Set(FamilyPage.all.map(\.name))
                == Set(Self.pages.map { $0.replacing(".md", with: "") }).subtracting(["StandardSensors"]))
        for page in FamilyPage.all {
            #expect(Set(page.formats.map(\.rawValue)) == Set(linked[page.name] ?? []), "\(page.name)")
        }
        let without: Set = ["sensortag", "thingy52", "medcom-inspector"]
        #expect(FamilyPage.all.flatMap(\.recipes).sorted() == Set(RecipeCatalogue.names).subtracting(without).sorted())
        #expect(FamilyPage.name(recipe: "jbd", formats: ["Ruuvi"]) == "Batteries")
        #expect(FamilyPage.name(recipe: nil, formats: ["Kegtron", "Ruuvi"]) == "Ruuvi")
        #expect(FamilyPage.name(recipe: "thingy52") == nil)
    }

    @Test func theIndexAndTheTopicsHaveEachPage() throws {
        let (index, topics) = (try Self.text("Devices/\(Self.index)"), try Self.text("Blekeep.md"))
        #expect(Self.pages.count > 20)
        for page in Self.pages.map({ $0.replacing(".md", with: "") }) {
            #expect(index.contains("<doc:\(page)>") && topics.contains("<doc:\(page)>"), "\(page)")
        }
    }
}
