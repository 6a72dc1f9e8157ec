import BlekeepHistory
import BlekeepOutputs

/// The description of this server in OpenAPI's format.
enum OpenAPI {
    static func text(version: String) -> String {
        document.replacing("VERSION", with: version).replacing("TIME", with: timePattern)
            .replacing("MOST", with: "\(ReadingsRequest.maxLimit)")
            .replacing("USUAL", with: "\(ReadingsRequest.usualLimit)")
    }

    /// The times that a client may write, as a regular expression for JSON.
    private static let timePattern =
        #"^(today|yesterday|[0-9]{1,4}(s|m|h|d)?|[1-9]y|[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])"#
        + #"(T([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\\.[0-9]{1,9})?)?Z?)?)$"#

    private static let document = #"""
        {"openapi":"3.0.3",
        "info":{"title":"blekeep","version":"VERSION","description":"Readings of Bluetooth LE sensors."},
        "security":[{},{"token":[]}],
        "paths":{
        "/readings":{"get":{"summary":"Stored readings, or summaries of them, the oldest first.","parameters":[
        {"name":"device","in":"query","description":"Only this device: its alias, address or ID.",
        "schema":{"type":"string","maxLength":200,"pattern":"^[^\\u0000]*$"}},
        {"name":"since","in":"query","description":"Only readings since this time: an age or a time.",
        "schema":{"type":"string","pattern":"TIME"}},
        {"name":"until","in":"query","description":"Only readings before this time, which must be after since.",
        "schema":{"type":"string","pattern":"TIME"}},
        {"name":"every","in":"query","description":"Summaries instead of readings: 5m or a multiple, such as 10m, 1h or 1d.",
        "schema":{"type":"string",
        "pattern":"^((5|[1-9][0-9]?[05])m|[1-9][0-9]?h|([1-9][0-9]?|[12][0-9][0-9])d)$"}},
        {"name":"limit","in":"query","description":"The maximum number of readings. Summaries of one time stay together.",
        "schema":{"type":"integer","minimum":1,"maximum":MOST,"default":USUAL}},
        {"name":"after","in":"query","description":"Where to go on, from the link to the next page.",
        "schema":{"type":"integer","format":"int64","minimum":0,"maximum":9223372036854775807}}],
        "responses":{"200":{"description":"The readings.",
        "headers":{"Link":{"description":"The next page, if there may be one.","schema":{"type":"string"}}},
        "content":{"application/json":{"schema":{"type":"array","items":{"anyOf":[
        {"$ref":"#/components/schemas/Reading"},{"$ref":"#/components/schemas/Summary"}]}}},
        "application/x-ndjson":{"schema":{"type":"string"}}}},
        "404":{"$ref":"#/components/responses/Problem"},REST}}},
        "/devices":{"get":{"summary":"The devices with their state and newest readings.",
        "responses":{"200":{"description":"The devices.","content":{"application/json":{
        "schema":{"type":"array","items":{"$ref":"#/components/schemas/Device"}}}}},REST}}},
        "/healthz":{"get":{"summary":"Whether everything works, by the rules of 'blekeep status'.",
        "responses":{"200":{"description":"Everything works.","content":{"application/json":{
        "schema":{"$ref":"#/components/schemas/Health"}}}},
        "400":{"$ref":"#/components/responses/Problem"},"401":{"$ref":"#/components/responses/Problem"},
        "403":{"$ref":"#/components/responses/Problem"},
        "413":{"$ref":"#/components/responses/Problem"},"414":{"$ref":"#/components/responses/Problem"},
        "421":{"$ref":"#/components/responses/Problem"},"431":{"$ref":"#/components/responses/Problem"},
        "503":{"description":"Something fails, or there is no status.","content":{
        "application/json":{"schema":{"$ref":"#/components/schemas/Health"}},
        "application/problem+json":{"schema":{"$ref":"#/components/schemas/Problem"}}}}}}},
        "/metrics":{"get":{"summary":"The newest values and the state of blekeep, for Prometheus.",
        "responses":{"200":{"description":"Prometheus's text format.","content":{"text/plain":{
        "schema":{"type":"string"}}}},REST}}},
        "/fleet/metrics":{"get":{"summary":"What the gateways of the fleet say, for Prometheus.",
        "responses":{"200":{"description":"Prometheus's text format.","content":{"text/plain":{
        "schema":{"type":"string"}}}},"404":{"$ref":"#/components/responses/Problem"},REST}}},
        "/events":{"get":{"summary":"New readings as server-sent events, without end.","parameters":[
        {"name":"Last-Event-ID","in":"header","description":"The number of the last reading that the client has.",
        "schema":{"type":"integer","format":"int64","minimum":0,"maximum":9223372036854775807}}],
        "responses":{"200":{"description":"The events.","content":{"text/event-stream":{
        "schema":{"type":"string"}}}},REST}}},
        "/openapi.json":{"get":{"summary":"This description.","responses":{"200":{"description":"The description.",
        "content":{"application/json":{"schema":{"type":"object"}}}},REST}}},
        "/":{"get":{"summary":"The overview, as a page.","parameters":[
        {"name":"q","in":"query","description":"Only devices with this in their name, address or tag.",
        "schema":{"type":"string","pattern":"^[^\\u0000]*$"}},
        {"name":"tag","in":"query","schema":{"type":"string","pattern":"^[^\\u0000]*$"}},
        {"name":"state","in":"query","schema":{"type":"string","enum":["",STATES]}},
        {"name":"sort","in":"query","schema":{"type":"string","enum":["",ORDERS]}},VIEW],"responses":{PAGE,REST}}},
        "/compare":{"get":{"summary":"The numbers of several devices, as a page.","parameters":[
        {"name":"device","in":"query","description":"Aliases, addresses or IDs.","explode":true,
        "schema":{"type":"array","maxItems":MOSTDEVICES,"items":{"type":"string","minLength":1,"maxLength":200,
        "pattern":"^[^\\u0000]*$"}}},
        {"name":"field","in":"query","description":"The fields of numbers; none for all.","explode":true,
        "schema":{"type":"array","maxItems":MOSTFIELDS,"items":{"type":"string","pattern":"^[^\\u0000]*$"}}},SPAN,VIEW],
        "responses":{PAGE,"404":{"description":"The history has no such device.","content":{
        "text/html":{"schema":{"type":"string"}},
        "application/problem+json":{"schema":{"$ref":"#/components/schemas/Problem"}}}},REST}}},
        "/report":{"get":{"summary":"The report, as a page.","parameters":[
        {"name":"since","in":"query","schema":{"type":"string","enum":[NIGHTS]}}],"responses":{PAGE,REST}}},
        "/health":{"get":{"summary":"The health of the gateway, as a page.","responses":{PAGE,REST}}},
        "/fleet":{"get":{"summary":"The gateways of the fleet, and which one reads each device, as a page.",
        "responses":{PAGE,REST}}},
        "/device/{device}":{"get":{"summary":"A device, as a page.","parameters":[DEVICE,VIEW],
        "responses":{PAGE,"404":{"description":"The history has no such device.","content":{
        "text/html":{"schema":{"type":"string"}},
        "application/problem+json":{"schema":{"$ref":"#/components/schemas/Problem"}}}},REST}}},
        "/device/{device}/readings.csv":{"get":{"summary":"What the page of a device shows.","parameters":[DEVICE],
        "responses":{"200":{"description":"Readings, or summaries of them.","content":{"text/csv":{
        "schema":{"type":"string"}}}},"404":{"$ref":"#/components/responses/Problem"},REST}}},
        "/device/{device}/readings.json":{"get":{"summary":"What the page of a device shows.","parameters":[DEVICE],
        "responses":{"200":{"description":"Readings, or summaries of them.","content":{"application/json":{
        "schema":{"type":"array","items":{"anyOf":[{"$ref":"#/components/schemas/Reading"},
        {"$ref":"#/components/schemas/Summary"}]}}}}},"404":{"$ref":"#/components/responses/Problem"},REST}}}},
        "components":{
        "securitySchemes":{"token":{"type":"http","scheme":"bearer"}},
        "responses":{"Problem":{"description":"Why the request can't be answered.","content":{
        "application/problem+json":{"schema":{"$ref":"#/components/schemas/Problem"}}}}},
        "schemas":SCHEMAS}}
        """#
        .replacing("MOSTDEVICES", with: "\(CompareRequest.maxDevices)")
        .replacing("MOSTFIELDS", with: "\(CompareRequest.maxFields)").replacing("REST", with: rest)
        .replacing("PAGE", with: page).replacing("DEVICE", with: device).replacing("SPAN", with: span)
        .replacing("VIEW", with: #"{"name":"view","in":"query","schema":{"type":"string","enum":["","table"]}}"#)
        .replacing("STATES", with: ShownState.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ","))
        .replacing("ORDERS", with: GlanceView.Order.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ","))
        .replacing("SCHEMAS", with: schemas.text)
        .replacing("NIGHTS", with: NightRange.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ","))

    /// The objects of the answers. Their fields come from the tables that write them.
    private static let schemas: JSON = .object([
        "Problem": Problem.table.schema, "Health": ServedHistory.healthTable.schema,
        "Reading": JSONLineWriter.table.schema, "Summary": SummaryLines.table.schema, "Device": DeviceList.table.schema,
    ])

    /// The schema of an object with a name.
    static func reference(_ name: String) -> JSON { .object(["$ref": .text("#/components/schemas/\(name)")]) }

    private static let page =
        #""200":{"description":"The page.","content":{"text/html":{"schema":{"type":"string"}}}}"#

    /// The parameters of a device's page.
    private static let device =
        #"{"name":"device","in":"path","required":true,"description":"Its alias, address or ID.","#
        + #""schema":{"type":"string","minLength":1,"maxLength":200,"pattern":"^[^\u0000]*$"}},SPAN"#

    /// The parameters of a time.
    private static let span = #"""
        {"name":"range","in":"query","description":"How far back.","schema":{"type":"string","enum":[RANGES]}},\#
        {"name":"from","in":"query","description":"Where the time begins, instead of range.",\#
        "schema":{"type":"string","pattern":"^$|TIME"}},\#
        {"name":"to","in":"query","description":"Where the time ends; now without it.",\#
        "schema":{"type":"string","pattern":"^$|TIME"}}
        """#
        .replacing("RANGES", with: PageRange.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ","))

    /// What every request may get.
    private static let rest = ["400", "401", "403", "413", "414", "421", "431", "500", "503"]
        .map { ##""\##($0)":{"$ref":"#/components/responses/Problem"}"## }.joined(separator: ",")
}
