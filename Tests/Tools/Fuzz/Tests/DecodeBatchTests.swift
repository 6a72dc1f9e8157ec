import Testing

@testable import blekeep_decode

@Suite struct DecodeBatchTests {
    @Test func characteristics() {
        let answer = DecodeBatch.gatt.answer(to: #"{"uuid":"2A6E","hex":"c3f6","note":"ignored"}"#)
        #expect(answer == #"{"fields":{"temperature":{"value":-23.65,"unit":"°C"}}}"#)
        let unknown = DecodeBatch.gatt.answer(to: #"{"uuid":"2A6E","hex":"0080"}"#)
        #expect(unknown == #"{"fields":{"temperature":{"value":null,"unit":"°C","state":"unknown"}}}"#)
        #expect(DecodeBatch.gatt.answer(to: #"{"uuid":"2A6E","hex":"c3"}"#) == #"{"error":"short"}"#)
        #expect(DecodeBatch.gatt.answer(to: #"{"uuid":"FFF1","hex":"c3"}"#) == #"{"fields":{"value":{"value":"c3"}}}"#)
    }

    @Test(arguments: ["", "{", "[]", "{}", #"{"uuid":"2A6E"}"#, #"{"uuid":"2A6E","hex":"c"}"#, #"{"uuid":1}"#])
    func whatIsNoQuestionIsAnsweredToo(line: String) {
        #expect(DecodeBatch.gatt.answer(to: line) == #"{"error":"input"}"#)
    }

    @Test func advertisements() {
        let packet = DecodeBatch.adverts.answer(to: #"{"service_data":{"fcd2":"4400093c0207ee"}}"#)
        #expect(
            packet
                == #"{"encrypted":false,"trigger":true,"version":2,"objects":[{"value":9,"id":0,"name":"packet_id"},"#
                + #"{"value":"rotate_right","id":60,"name":"dimmer","steps":7}],"incomplete":true}"#)
        let other = DecodeBatch.adverts.answer(to: #"{"manufacturer_data":{"0001":"00"}}"#)
        #expect(other == #"{"error":"format"}"#)
        let secret = DecodeBatch.adverts.answer(to: #"{"service_data":{"fcd2":"41a47266c95f730011223378237214"}}"#)
        #expect(secret == #"{"error":"key"}"#)
    }

    @Test func presentationFormats() {
        let answer = DecodeBatch.cpf.answer(to: #"{"hex":"06fe2827010000","value_hex":"3930"}"#)
        #expect(
            answer
                == #"{"value":123.45,"unit":"V","format":6,"format_name":"uint16","exponent":-2,"unit_uuid":"2728","#
                + #""namespace":1,"description":0}"#)
    }
}
