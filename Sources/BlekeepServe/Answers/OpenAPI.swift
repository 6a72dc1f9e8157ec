import BlekeepHistory
import BlekeepOutputs

/// The description of this server in OpenAPI's format.
enum OpenAPI {
    static func text(version: String) -> String {
        JSON.object([
            "openapi": "3.0.3",
            "info": .object([
                "title": "blekeep", "version": .text(version), "description": "Readings of Bluetooth LE sensors.",
            ]),
            "security": .array([.object([]), .object(["token": .array([])])]),
            "paths": .object(Endpoint.allCases.map { (key: $0.rawValue, value: .object(["get": $0.operation])) }),
            "components": .object([
                "securitySchemes": .object(["token": .object(["type": "http", "scheme": "bearer"])]),
                "responses": .object(["Problem": answer("Why the request can't be answered.", problem)]),
                "schemas": schemas,
            ]),
        ]).text
    }

    /// The objects of the answers. Their fields come from the tables that write them.
    private static let schemas: JSON = .object([
        "Problem": Problem.table.schema, "Health": ServedHistory.healthTable.schema,
        "Reading": JSONLineWriter.table.schema, "Summary": SummaryLines.table.schema, "Device": DeviceList.table.schema,
    ])

    /// The schema of an object with a name.
    static func reference(_ name: String) -> JSON { .object(["$ref": .text("#/components/schemas/\(name)")]) }

    fileprivate typealias Content = (type: String, schema: JSON)

    fileprivate static let problem: Content = ("application/problem+json", reference("Problem"))
    fileprivate static let anyProblem: JSON = .object(["$ref": "#/components/responses/Problem"])
    fileprivate static let readings: JSON = .schema(
        arrayOf: .object(["anyOf": .array([reference("Reading"), reference("Summary")])]))

    fileprivate static func answer(_ meaning: String, _ contents: Content..., headers: JSON? = nil) -> JSON {
        .object([
            "description": .text(meaning), "headers": headers,
            "content": .object(contents.map { (key: $0.type, value: .object(["schema": $0.schema])) }),
        ])
    }
}

extension Endpoint {
    fileprivate var operation: JSON {
        let parameters = parameters.map(\.json)
        return .object([
            "summary": .text(summary), "parameters": parameters.isEmpty ? nil : .array(parameters),
            "responses": .object([(key: "200", value: success)] + failures),
        ])
    }

    private var summary: String {
        switch self {
        case .overview: "The overview, as a page."
        case .device: "A device, as a page."
        case .csv, .json: "What the page of a device shows."
        case .compare: "The numbers of several devices, as a page."
        case .fleet: "The gateways of the fleet, and which one reads each device, as a page."
        case .health: "The health of the gateway, as a page."
        case .report: "The report, as a page."
        case .devices: "The devices with their state and newest readings."
        case .events: "New readings as server-sent events, without end."
        case .state: "Whether everything works, by the rules of 'blekeep status'."
        case .metrics: "The newest values and the state of blekeep, for Prometheus."
        case .fleetMetrics: "What the gateways of the fleet say, for Prometheus."
        case .description: "This description."
        case .readings: "Stored readings, or summaries of them, the oldest first."
        }
    }

    private var success: JSON {
        let text: JSON = .schema("string")
        return switch self {
        case .overview, .device, .compare, .fleet, .health, .report: OpenAPI.answer("The page.", ("text/html", text))
        case .csv: OpenAPI.answer("Readings, or summaries of them.", ("text/csv", text))
        case .json: OpenAPI.answer("Readings, or summaries of them.", ("application/json", OpenAPI.readings))
        case .devices:
            OpenAPI.answer("The devices.", ("application/json", .schema(arrayOf: OpenAPI.reference("Device"))))
        case .events: OpenAPI.answer("The events.", ("text/event-stream", text))
        case .state: OpenAPI.answer("Everything works.", ("application/json", OpenAPI.reference("Health")))
        case .metrics, .fleetMetrics: OpenAPI.answer("Prometheus's text format.", ("text/plain", text))
        case .description: OpenAPI.answer("The description.", ("application/json", .schema("object")))
        case .readings:
            OpenAPI.answer(
                "The readings.", ("application/json", OpenAPI.readings), ("application/x-ndjson", text),
                headers: .object([
                    "Link": .object(["description": "The next page, if there may be one.", "schema": text])
                ]))
        }
    }

    /// What may go wrong, by the status.
    private var failures: [(key: String, value: JSON?)] {
        var all: [(key: String, value: JSON?)] = [
            "400", "401", "403", "413", "414", "421", "431", "500", "503",
        ].map { ($0, OpenAPI.anyProblem) }
        switch self {
        case .device, .compare:
            all.append(
                (
                    "404",
                    OpenAPI.answer("The history has no such device.", ("text/html", .schema("string")), OpenAPI.problem)
                ))
        case .readings, .csv, .json, .fleetMetrics: all.append(("404", OpenAPI.anyProblem))
        case .state:
            all[all.count - 1].value = OpenAPI.answer(
                "Something fails, or there is no status.", ("application/json", OpenAPI.reference("Health")),
                OpenAPI.problem)
        case .overview, .fleet, .health, .report, .devices, .events, .metrics, .description: break
        }
        return all
    }
}

extension Parameter {
    fileprivate var json: JSON {
        .object([
            "name": .text(name), "in": .text(place.rawValue), "required": place == .path ? true : nil,
            "description": .text(meaning), "explode": isRepeated ? true : nil, "schema": schema,
        ])
    }
}
