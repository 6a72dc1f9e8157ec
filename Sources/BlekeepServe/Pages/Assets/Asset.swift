/// A file that pages use, from the program itself.
enum Asset: String, CaseIterable {
    case style = "/style.css"
    case script = "/blekeep.js"
    case plots = "/plots.js"
    case taste = "/taste.js"
    case worker = "/worker.js"
    case icon = "/icon.svg"
    case manifest = "/blekeep.webmanifest"

    var type: String {
        switch self {
        case .style: "text/css; charset=utf-8"
        case .script, .plots, .taste, .worker: "text/javascript; charset=utf-8"
        case .icon: "image/svg+xml"
        case .manifest: "application/manifest+json"
        }
    }

    var text: String {
        switch self {
        case .style: Stylesheet.text
        case .script: PageScript.text
        case .plots: PlotScript.text
        case .taste: TasteScript.text
        case .worker: WorkerScript.text
        case .icon: Icon.text
        case .manifest: Manifest.text
        }
    }

    /// The path with the version, so that a browser keeps the file until a new version of blekeep comes.
    var path: String { "\(rawValue)?v=\(Self.version)" }

    /// Changes with each change of a file.
    static let version: String = {
        // FNV-1a
        let sum = allCases.flatMap(\.text.utf8).reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01B3
        }
        return String(sum, radix: 36)
    }()
}

/// What lets a browser install the pages as an app.
enum Manifest {
    static let text = """
        {"name":"blekeep","short_name":"blekeep","start_url":"/","display":"standalone","background_color":"#0f1215",
        "theme_color":"#17324d","icons":[{"src":"/icon.svg","sizes":"any","type":"image/svg+xml","purpose":"any"}]}

        """
}

/// The icon in the browser's tab.
enum Icon {
    static let text = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
        <rect width="32" height="32" rx="7" fill="#17324d"/>
        <polyline points="5,19 11,19 14,10 18,23 21,16 27,16" fill="none" stroke="#7fd1ae" stroke-width="2.5" \
        stroke-linecap="round" stroke-linejoin="round"/>
        </svg>

        """
}
