// swift-format-ignore-file

/// The assigned characteristics, one per line, sorted by number: `number|official name|fields`.
///
/// A line without fields has an unknown layout. FieldNotation.swift explains the notation of fields, in short
/// `name type *scale unit special=state lowest...highest ?present`, as in
/// `temperature sint16 *1e-2 °C 0x8000=unknown -27315...32767`.
/// Source: the Assigned Numbers of the Bluetooth SIG, mid-2026.
enum CharacteristicTable {
    static let table = TextTable(
        """
        2a00|Device Name|device_name utf8s
        2a01|Appearance|appearance uint16
        2a02|Peripheral Privacy Flag|
        2a03|Reconnection Address|
        2a04|Peripheral Preferred Connection Parameters|minimum_connection_interval uint16 *125e-5 s 0xFFFF=unspecified; maximum_connection_interval uint16 *125e-5 s 0xFFFF=unspecified; latency uint16; connection_supervision_timeout uint16 *1e-2 s 0xFFFF=unspecified
        2a05|Service Changed|start_handle uint16; end_handle uint16
        2a06|Alert Level|alert_level uint8
        2a07|Tx Power Level|tx_power sint8 dBm -100...20
        2a08|Date Time|date_time datetime
        2a09|Day of Week|day_of_week uint8 0=unknown
        2a0a|Day Date Time|date_time datetime; day_of_week uint8 0=unknown
        2a0c|Exact Time 256|date_time datetime; day_of_week uint8 0=unknown; fractions256 uint8
        2a0d|DST Offset|dst_offset uint8 *15 min 255=unknown
        2a0e|Time Zone|time_zone sint8 *15 min -128=unknown -48...56
        2a0f|Local Time Information|time_zone sint8 *15 min -128=unknown -48...56; dst_offset uint8 *15 min 255=unknown
        2a11|Time with DST|date_time datetime; dst_offset uint8 *15 min 255=unknown
        2a12|Time Accuracy|accuracy uint8 /8 s 254=over 255=unknown
        2a13|Time Source|time_source uint8
        2a14|Reference Time Information|time_source uint8; time_accuracy uint8 /8 s 254=over 255=unknown; days_since_update uint8 d 255=over; hours_since_update uint8 h 255=over
        2a16|Time Update Control Point|time_update_control_point uint8
        2a17|Time Update State|current_state uint8; result uint8
        2a18|Glucose Measurement|flags bits8; sequence_number uint16; base_time datetime; time_offset sint16 min ?0; glucose_concentration medfloat16 kg/L ?1,!2; glucose_concentration medfloat16 mol/L ?1,2; type uint4 ?1; sample_location uint4 ?1; sensor_status_annunciation bits16 ?3
        2a19|Battery Level|battery_level uint8 % 0...100
        2a1c|Temperature Measurement|flags bits8; temperature medfloat32 °C ?!0; temperature medfloat32 °F ?0; time_stamp datetime ?1; temperature_type uint8 ?2
        2a1d|Temperature Type|temperature_type uint8
        2a1e|Intermediate Temperature|flags bits8; temperature medfloat32 °C ?!0; temperature medfloat32 °F ?0; time_stamp datetime ?1; temperature_type uint8 ?2
        2a21|Measurement Interval|measurement_interval uint16 s
        2a22|Boot Keyboard Input Report|
        2a23|System ID|eui_64 eui64
        2a24|Model Number String|model_number utf8s
        2a25|Serial Number String|serial_number utf8s
        2a26|Firmware Revision String|firmware_revision utf8s
        2a27|Hardware Revision String|hardware_revision utf8s
        2a28|Software Revision String|software_revision utf8s
        2a29|Manufacturer Name String|manufacturer_name utf8s
        2a2a|IEEE 11073-20601 Regulatory Certification Data List|
        2a2b|Current Time|date_time datetime; day_of_week uint8 0=unknown; fractions256 uint8; adjust_reason bits8
        2a2c|Magnetic Declination|magnetic_declination uint16 *1e-2 °
        2a31|Scan Refresh|
        2a32|Boot Keyboard Output Report|
        2a33|Boot Mouse Input Report|
        2a34|Glucose Measurement Context|flags bits8; sequence_number uint16; extended_flags bits8 ?7; carbohydrate_id uint8 ?0; carbohydrate medfloat16 kg ?0; meal uint8 ?1; tester uint4 ?2; health uint4 ?2; exercise_duration uint16 s 0xFFFF=over ?3; exercise_intensity uint8 % ?3; medication_id uint8 ?4; medication medfloat16 kg ?4,!5; medication medfloat16 L ?4,5; hba1c medfloat16 % ?6
        2a35|Blood Pressure Measurement|flags bits8; systolic medfloat16 mmHg ?!0; diastolic medfloat16 mmHg ?!0; mean_arterial_pressure medfloat16 mmHg ?!0; systolic medfloat16 *1e3 Pa ?0; diastolic medfloat16 *1e3 Pa ?0; mean_arterial_pressure medfloat16 *1e3 Pa ?0; time_stamp datetime ?1; pulse_rate medfloat16 bpm ?2; user_id uint8 255=unknown ?3; measurement_status bits16 ?4
        2a36|Intermediate Cuff Pressure|flags bits8; current_cuff_pressure medfloat16 mmHg ?!0; current_cuff_pressure medfloat16 *1e3 Pa ?0; diastolic_unused medfloat16; mean_arterial_pressure_unused medfloat16; time_stamp datetime ?1; pulse_rate medfloat16 bpm ?2; user_id uint8 255=unknown ?3; measurement_status bits16 ?4
        2a37|Heart Rate Measurement|flags bits8; heart_rate uint8 bpm ?!0; heart_rate uint16 bpm ?0; energy_expended uint16 *1e3 J ?3; rr_interval uint16[] /1024 s ?4
        2a38|Body Sensor Location|body_sensor_location uint8
        2a39|Heart Rate Control Point|heart_rate_control_point uint8
        2a3f|Alert Status|alert_status bits8
        2a40|Ringer Control Point|ringer_control_point uint8
        2a41|Ringer Setting|ringer_setting uint8
        2a42|Alert Category ID Bit Mask|category_id_bit_mask bits16
        2a43|Alert Category ID|category_id uint8
        2a44|Alert Notification Control Point|
        2a45|Unread Alert Status|category_id uint8; unread_count uint8 255=over
        2a46|New Alert|category_id uint8; number_of_new_alert uint8; text_string_information utf8s
        2a47|Supported New Alert Category|
        2a48|Supported Unread Alert Category|
        2a49|Blood Pressure Feature|blood_pressure_feature bits16
        2a4a|HID Information|
        2a4b|Report Map|
        2a4c|HID Control Point|
        2a4d|Report|
        2a4e|Protocol Mode|protocol_mode uint8
        2a4f|Scan Interval Window|
        2a50|PnP ID|vendor_id_source uint8; vendor_id uint16; product_id uint16; product_version uint16
        2a51|Glucose Feature|glucose_feature bits16
        2a52|Record Access Control Point|
        2a53|RSC Measurement|flags bits8; instantaneous_speed uint16 /256 m/s; instantaneous_cadence uint8 1/min; instantaneous_stride_length uint16 *1e-2 m ?0; total_distance uint32 *1e-1 m ?1
        2a54|RSC Feature|rsc_feature bits16
        2a55|SC Control Point|
        2a5a|Aggregate|
        2a5b|CSC Measurement|flags bits8; cumulative_wheel_revolutions uint32 ?0; last_wheel_event_time uint16 /1024 s ?0; cumulative_crank_revolutions uint16 ?1; last_crank_event_time uint16 /1024 s ?1
        2a5c|CSC Feature|csc_feature bits16
        2a5d|Sensor Location|sensor_location uint8
        2a5e|PLX Spot-Check Measurement|flags bits8; spo2 medfloat16 %; pulse_rate medfloat16 bpm; time_stamp datetime ?0; measurement_status bits16 ?1; device_and_sensor_status bits24 ?2; pulse_amplitude_index medfloat16 % ?3
        2a5f|PLX Continuous Measurement|flags bits8; spo2_normal medfloat16 %; pulse_rate_normal medfloat16 bpm; spo2_fast medfloat16 % ?0; pulse_rate_fast medfloat16 bpm ?0; spo2_slow medfloat16 % ?1; pulse_rate_slow medfloat16 bpm ?1; measurement_status bits16 ?2; device_and_sensor_status bits24 ?3; pulse_amplitude_index medfloat16 % ?4
        2a60|PLX Features|
        2a63|Cycling Power Measurement|flags bits16; instantaneous_power sint16 W; pedal_power_balance uint8 /2 % ?0; accumulated_torque uint16 /32 N·m ?2; cumulative_wheel_revolutions uint32 ?4; last_wheel_event_time uint16 /2048 s ?4; cumulative_crank_revolutions uint16 ?5; last_crank_event_time uint16 /1024 s ?5; maximum_force_magnitude sint16 N ?6; minimum_force_magnitude sint16 N ?6; maximum_torque_magnitude sint16 /32 N·m ?7; minimum_torque_magnitude sint16 /32 N·m ?7; maximum_angle uint12 ° ?8; minimum_angle uint12 ° ?8; top_dead_spot_angle uint16 ° ?9; bottom_dead_spot_angle uint16 ° ?10; accumulated_energy uint16 *1e3 J ?11
        2a64|Cycling Power Vector|flags bits8; cumulative_crank_revolutions uint16 ?0; last_crank_event_time uint16 /1024 s ?0; first_crank_measurement_angle uint16 ° ?1; instantaneous_force_magnitude sint16[] N ?2; instantaneous_torque_magnitude sint16[] /32 N·m ?3
        2a65|Cycling Power Feature|cycling_power_feature bits32
        2a66|Cycling Power Control Point|
        2a67|Location and Speed|flags bits16; instantaneous_speed uint16 *1e-2 m/s ?0; total_distance uint24 *1e-1 m ?1; location_latitude sint32 *1e-7 ° ?2; location_longitude sint32 *1e-7 ° ?2; elevation sint24 *1e-2 m ?3; heading uint16 *1e-2 ° ?4; rolling_time uint8 s ?5; utc_time datetime ?6
        2a68|Navigation|flags bits16; bearing uint16 *1e-2 °; heading uint16 *1e-2 °; remaining_distance uint24 *1e-1 m ?0; remaining_vertical_distance sint24 *1e-2 m ?1; estimated_time_of_arrival datetime ?2
        2a69|Position Quality|flags bits16; number_of_beacons_in_solution uint8 ?0; number_of_beacons_in_view uint8 ?1; time_to_first_fix uint16 *1e-1 s ?2; ehpe uint32 *1e-2 m ?3; evpe uint32 *1e-2 m ?4; hdop uint8 *2e-1 ?5; vdop uint8 *2e-1 ?6
        2a6a|LN Feature|ln_feature bits32
        2a6b|LN Control Point|
        2a6c|Elevation|elevation sint24 *1e-2 m
        2a6d|Pressure|pressure uint32 *1e-1 Pa
        2a6e|Temperature|temperature sint16 *1e-2 °C 0x8000=unknown -27315...32767
        2a6f|Humidity|humidity uint16 *1e-2 % 0xFFFF=unknown 0...10000
        2a70|True Wind Speed|true_wind_speed uint16 *1e-2 m/s
        2a71|True Wind Direction|true_wind_direction uint16 *1e-2 °
        2a72|Apparent Wind Speed|apparent_wind_speed uint16 *1e-2 m/s
        2a73|Apparent Wind Direction|apparent_wind_direction uint16 *1e-2 °
        2a74|Gust Factor|gust_factor uint8 *1e-1
        2a75|Pollen Concentration|pollen_concentration uint24 1/m³
        2a76|UV Index|uv_index uint8
        2a77|Irradiance|irradiance uint16 *1e-1 W/m²
        2a78|Rainfall|rainfall uint16 *1e-3 m
        2a79|Wind Chill|wind_chill sint8 °C
        2a7a|Heat Index|heat_index sint8 °C
        2a7b|Dew Point|dew_point sint8 °C
        2a7d|Descriptor Value Changed|
        2a7e|Aerobic Heart Rate Lower Limit|aerobic_heart_rate_lower_limit uint8 bpm
        2a7f|Aerobic Threshold|aerobic_threshold uint8 bpm
        2a80|Age|age uint8 yr
        2a81|Anaerobic Heart Rate Lower Limit|anaerobic_heart_rate_lower_limit uint8 bpm
        2a82|Anaerobic Heart Rate Upper Limit|anaerobic_heart_rate_upper_limit uint8 bpm
        2a83|Anaerobic Threshold|anaerobic_threshold uint8 bpm
        2a84|Aerobic Heart Rate Upper Limit|aerobic_heart_rate_upper_limit uint8 bpm
        2a85|Date of Birth|year uint16 0=unknown; month uint8 0=unknown; day uint8 0=unknown
        2a86|Date of Threshold Assessment|year uint16 0=unknown; month uint8 0=unknown; day uint8 0=unknown
        2a87|Email Address|email_address utf8s
        2a88|Fat Burn Heart Rate Lower Limit|fat_burn_heart_rate_lower_limit uint8 bpm
        2a89|Fat Burn Heart Rate Upper Limit|fat_burn_heart_rate_upper_limit uint8 bpm
        2a8a|First Name|first_name utf8s
        2a8b|Five Zone Heart Rate Limits|very_light_light_limit uint8 bpm; light_moderate_limit uint8 bpm; moderate_hard_limit uint8 bpm; hard_maximum_limit uint8 bpm
        2a8c|Gender|gender uint8
        2a8d|Heart Rate Max|heart_rate_max uint8 bpm
        2a8e|Height|height uint16 *1e-2 m
        2a8f|Hip Circumference|hip_circumference uint16 *1e-2 m
        2a90|Last Name|last_name utf8s
        2a91|Maximum Recommended Heart Rate|maximum_recommended_heart_rate uint8 bpm
        2a92|Resting Heart Rate|resting_heart_rate uint8 bpm
        2a93|Sport Type for Aerobic and Anaerobic Thresholds|sport_type_for_aerobic_and_anaerobic_thresholds uint8
        2a94|Three Zone Heart Rate Limits|light_fat_burn_moderate_aerobic_limit uint8 bpm; moderate_aerobic_hard_anaerobic_limit uint8 bpm
        2a95|Two Zone Heart Rate Limits|fat_burn_fitness_limit uint8 bpm
        2a96|VO2 Max|vo2_max uint8 mL/(kg·min)
        2a97|Waist Circumference|waist_circumference uint16 *1e-2 m
        2a98|Weight|weight uint16 *5e-3 kg
        2a99|Database Change Increment|database_change_increment uint32
        2a9a|User Index|user_index uint8 255=unknown
        2a9b|Body Composition Feature|body_composition_feature bits32
        2a9c|Body Composition Measurement|flags bits16; body_fat_percentage uint16 *1e-1 %; time_stamp datetime ?1; user_id uint8 255=unknown ?2; basal_metabolism uint16 *1e3 J ?3; muscle_percentage uint16 *1e-1 % ?4; muscle_mass uint16 *5e-3 kg ?5,!0; muscle_mass uint16 *1e-2 lb ?5,0; fat_free_mass uint16 *5e-3 kg ?6,!0; fat_free_mass uint16 *1e-2 lb ?6,0; soft_lean_mass uint16 *5e-3 kg ?7,!0; soft_lean_mass uint16 *1e-2 lb ?7,0; body_water_mass uint16 *5e-3 kg ?8,!0; body_water_mass uint16 *1e-2 lb ?8,0; impedance uint16 *1e-1 Ω ?9; weight uint16 *5e-3 kg ?10,!0; weight uint16 *1e-2 lb ?10,0; height uint16 *1e-3 m ?11,!0; height uint16 *1e-1 in ?11,0
        2a9d|Weight Measurement|flags bits8; weight uint16 *5e-3 kg ?!0; weight uint16 *1e-2 lb ?0; time_stamp datetime ?1; user_id uint8 255=unknown ?2; bmi uint16 *1e-1 kg/m² ?3; height uint16 *1e-3 m ?3,!0; height uint16 *1e-1 in ?3,0
        2a9e|Weight Scale Feature|weight_scale_feature bits32
        2a9f|User Control Point|
        2aa0|Magnetic Flux Density - 2D|x_axis sint16 *1e-7 T; y_axis sint16 *1e-7 T
        2aa1|Magnetic Flux Density - 3D|x_axis sint16 *1e-7 T; y_axis sint16 *1e-7 T; z_axis sint16 *1e-7 T
        2aa2|Language|language utf8s
        2aa3|Barometric Pressure Trend|barometric_pressure_trend uint8
        2aa4|Bond Management Control Point|
        2aa5|Bond Management Feature|
        2aa6|Central Address Resolution|central_address_resolution uint8
        2aa7|CGM Measurement|size uint8; flags bits8; glucose_concentration medfloat16 mg/dL; time_offset uint16 min; status bits8 ?7; cal_temp bits8 ?6; warning bits8 ?5; trend_information medfloat16 mg/(dL·min) ?0; quality medfloat16 % ?1
        2aa8|CGM Feature|cgm_feature bits24; type uint4; sample_location uint4; e2e_crc uint16
        2aa9|CGM Status|time_offset uint16 min; cgm_status bits24; e2e_crc uint16 ?
        2aaa|CGM Session Start Time|session_start_time datetime; time_zone sint8 *15 min -128=unknown -48...56; dst_offset uint8 *15 min 255=unknown; e2e_crc uint16 ?
        2aab|CGM Session Run Time|cgm_session_run_time uint16 h; e2e_crc uint16 ?
        2aac|CGM Specific Ops Control Point|
        2aad|Indoor Positioning Configuration|
        2aae|Latitude|
        2aaf|Longitude|
        2ab0|Local North Coordinate|
        2ab1|Local East Coordinate|
        2ab2|Floor Number|
        2ab3|Altitude|
        2ab4|Uncertainty|
        2ab5|Location Name|location_name utf8s
        2ab6|URI|uri utf8s
        2ab7|HTTP Headers|
        2ab8|HTTP Status Code|
        2ab9|HTTP Entity Body|
        2aba|HTTP Control Point|
        2abb|HTTPS Security|
        2abc|TDS Control Point|
        2abd|OTS Feature|
        2abe|Object Name|object_name utf8s
        2abf|Object Type|object_type uuid
        2ac0|Object Size|
        2ac1|Object First-Created|object_first_created datetime
        2ac2|Object Last-Modified|object_last_modified datetime
        2ac3|Object ID|object_id uint48
        2ac4|Object Properties|
        2ac5|Object Action Control Point|
        2ac6|Object List Control Point|
        2ac7|Object List Filter|
        2ac8|Object Changed|
        2ac9|Resolvable Private Address Only|resolvable_private_address_only uint8
        2acc|Fitness Machine Feature|fitness_machine_features bits32; target_setting_features bits32
        2acd|Treadmill Data|flags bits16; instantaneous_speed uint16 *1e-2 km/h ?!0; average_speed uint16 *1e-2 km/h ?1; total_distance uint24 m ?2; inclination sint16 *1e-1 % ?3; ramp_angle_setting sint16 *1e-1 ° ?3; positive_elevation_gain uint16 *1e-1 m ?4; negative_elevation_gain uint16 *1e-1 m ?4; instantaneous_pace uint16 s ?5; average_pace uint16 s ?6; total_energy uint16 kcal ?7; energy_per_hour uint16 kcal ?7; energy_per_minute uint8 kcal ?7; heart_rate uint8 bpm ?8; metabolic_equivalent uint8 *1e-1 MET ?9; elapsed_time uint16 s ?10; remaining_time uint16 s ?11; force_on_belt sint16 N ?12; power_output sint16 W ?12
        2ace|Cross Trainer Data|flags bits24; instantaneous_speed uint16 *1e-2 km/h ?!0; average_speed uint16 *1e-2 km/h ?1; total_distance uint24 m ?2; steps_per_minute uint16 steps/min ?3; average_step_rate uint16 steps/min ?3; stride_count uint16 *1e-1 ?4; positive_elevation_gain uint16 m ?5; negative_elevation_gain uint16 m ?5; inclination sint16 *1e-1 % ?6; ramp_setting sint16 *1e-1 ° ?6; resistance_level uint8 *1e1 ?7; instantaneous_power sint16 W ?8; average_power sint16 W ?9; total_energy uint16 kcal ?10; energy_per_hour uint16 kcal ?10; energy_per_minute uint8 kcal ?10; heart_rate uint8 bpm ?11; metabolic_equivalent uint8 *1e-1 MET ?12; elapsed_time uint16 s ?13; remaining_time uint16 s ?14
        2acf|Step Climber Data|flags bits16; floors uint16 ?!0; step_count uint16 ?!0; steps_per_minute uint16 steps/min ?1; average_step_rate uint16 steps/min ?2; positive_elevation_gain uint16 m ?3; total_energy uint16 kcal ?4; energy_per_hour uint16 kcal ?4; energy_per_minute uint8 kcal ?4; heart_rate uint8 bpm ?5; metabolic_equivalent uint8 *1e-1 MET ?6; elapsed_time uint16 s ?7; remaining_time uint16 s ?8
        2ad0|Stair Climber Data|flags bits16; floors uint16 ?!0; steps_per_minute uint16 steps/min ?1; average_step_rate uint16 steps/min ?2; positive_elevation_gain uint16 m ?3; stride_count uint16 ?4; total_energy uint16 kcal ?5; energy_per_hour uint16 kcal ?5; energy_per_minute uint8 kcal ?5; heart_rate uint8 bpm ?6; metabolic_equivalent uint8 *1e-1 MET ?7; elapsed_time uint16 s ?8; remaining_time uint16 s ?9
        2ad1|Rower Data|flags bits16; stroke_rate uint8 /2 strokes/min ?!0; stroke_count uint16 ?!0; average_stroke_rate uint8 /2 strokes/min ?1; total_distance uint24 m ?2; instantaneous_pace uint16 s ?3; average_pace uint16 s ?4; instantaneous_power sint16 W ?5; average_power sint16 W ?6; resistance_level uint8 *1e1 ?7; total_energy uint16 kcal ?8; energy_per_hour uint16 kcal ?8; energy_per_minute uint8 kcal ?8; heart_rate uint8 bpm ?9; metabolic_equivalent uint8 *1e-1 MET ?10; elapsed_time uint16 s ?11; remaining_time uint16 s ?12
        2ad2|Indoor Bike Data|flags bits16; instantaneous_speed uint16 *1e-2 km/h ?!0; average_speed uint16 *1e-2 km/h ?1; instantaneous_cadence uint16 /2 rpm ?2; average_cadence uint16 /2 rpm ?3; total_distance uint24 m ?4; resistance_level uint8 *1e1 ?5; instantaneous_power sint16 W ?6; average_power sint16 W ?7; total_energy uint16 kcal ?8; energy_per_hour uint16 kcal ?8; energy_per_minute uint8 kcal ?8; heart_rate uint8 bpm ?9; metabolic_equivalent uint8 *1e-1 MET ?10; elapsed_time uint16 s ?11; remaining_time uint16 s ?12
        2ad3|Training Status|
        2ad4|Supported Speed Range|minimum_speed uint16 *1e-2 km/h; maximum_speed uint16 *1e-2 km/h; minimum_increment uint16 *1e-2 km/h
        2ad5|Supported Inclination Range|minimum_inclination sint16 *1e-1 %; maximum_inclination sint16 *1e-1 %; minimum_increment uint16 *1e-1 %
        2ad6|Supported Resistance Level Range|
        2ad7|Supported Heart Rate Range|minimum_heart_rate uint8 bpm; maximum_heart_rate uint8 bpm; minimum_increment uint8 bpm
        2ad8|Supported Power Range|minimum_power sint16 W; maximum_power sint16 W; minimum_increment uint16 W
        2ad9|Fitness Machine Control Point|
        2ada|Fitness Machine Status|
        2adb|Mesh Provisioning Data In|
        2adc|Mesh Provisioning Data Out|
        2add|Mesh Proxy Data In|
        2ade|Mesh Proxy Data Out|
        2ae0|Average Current|electric_current_value uint16 *1e-2 A 0xFFFF=unknown; sensing_duration timeexp8 s 254=lifetime 255=unknown
        2ae1|Average Voltage|voltage_value uint16 /64 V 0xFFFF=unknown; sensing_duration timeexp8 s 254=lifetime 255=unknown
        2ae2|Boolean|boolean uint8
        2ae3|Chromatic Distance from Planckian|distance_from_planckian sint16 *1e-5 0x7FFF=invalid 0x7FFE=unknown -5000...5000
        2ae4|Chromaticity Coordinates|chromaticity_x_coordinate uint16 /65536; chromaticity_y_coordinate uint16 /65536
        2ae5|Chromaticity in CCT and Duv Values|correlated_color_temperature uint16 K 0xFFFF=unknown; chromaticity_distance_from_planckian sint16 *1e-5 0x7FFF=invalid 0x7FFE=unknown -5000...5000
        2ae6|Chromaticity Tolerance|chromaticity_tolerance uint8 *1e-4
        2ae7|CIE 13.3-1995 Color Rendering Index|color_rendering_index sint8 127=unknown -128...100
        2ae8|Coefficient|coefficient float32
        2ae9|Correlated Color Temperature|correlated_color_temperature uint16 K 0xFFFF=unknown
        2aea|Count 16|count uint16 0xFFFF=unknown
        2aeb|Count 24|count uint24 0xFFFFFF=unknown
        2aec|Country Code|country_code uint16 0xFFFF=unknown
        2aed|Date UTC|date uint24 d 0x000000=unknown
        2aee|Electric Current|current uint16 *1e-2 A 0xFFFF=unknown
        2aef|Electric Current Range|minimum_electric_current_value uint16 *1e-2 A 0xFFFF=unknown; maximum_electric_current_value uint16 *1e-2 A 0xFFFF=unknown
        2af0|Electric Current Specification|minimum_electric_current_value uint16 *1e-2 A 0xFFFF=unknown; typical_electric_current_value uint16 *1e-2 A 0xFFFF=unknown; maximum_electric_current_value uint16 *1e-2 A 0xFFFF=unknown
        2af1|Electric Current Statistics|average_electric_current_value uint16 *1e-2 A 0xFFFF=unknown; standard_deviation_electric_current_value uint16 *1e-2 A 0xFFFF=unknown; minimum_electric_current_value uint16 *1e-2 A 0xFFFF=unknown; maximum_electric_current_value uint16 *1e-2 A 0xFFFF=unknown; sensing_duration timeexp8 s 254=lifetime 255=unknown
        2af2|Energy|energy uint24 kWh 0xFFFFFF=unknown
        2af3|Energy in a Period of Day|energy_value uint24 kWh 0xFFFFFF=unknown; start_time uint8 *1e-1 h 0xFF=unknown 0...239; end_time uint8 *1e-1 h 0xFF=unknown 0...239
        2af4|Event Statistics|number_of_events uint16 0xFFFF=unknown; average_event_duration uint16 s 0xFFFF=unknown; time_elapsed_since_last_event timeexp8 s 254=lifetime 255=unknown; sensing_duration timeexp8 s 254=lifetime 255=unknown
        2af5|Fixed String 16|fixed_string utf8s(16)
        2af6|Fixed String 24|fixed_string utf8s(24)
        2af7|Fixed String 36|fixed_string utf8s(36)
        2af8|Fixed String 8|fixed_string utf8s(8)
        2af9|Generic Level|generic_level uint16
        2afa|Global Trade Item Number|global_trade_item_number uint48 0x000000000000=unknown
        2afb|Illuminance|illuminance uint24 *1e-2 lx 0xFFFFFF=unknown 0...16777214
        2afc|Luminous Efficacy|luminous_efficacy uint16 *1e-1 lm/W 0xFFFF=unknown 0...18000
        2afd|Luminous Energy|luminous_energy uint24 *1e3 lm·h 0xFFFFFF=unknown 0...16777214
        2afe|Luminous Exposure|luminous_exposure uint24 *1e3 lx·h 0xFFFFFF=unknown 0...16777214
        2aff|Luminous Flux|luminous_flux uint16 lm 0xFFFF=unknown 0...65534
        2b00|Luminous Flux Range|minimum_luminous_flux uint16 lm 0xFFFF=unknown 0...65534; maximum_luminous_flux uint16 lm 0xFFFF=unknown 0...65534
        2b01|Luminous Intensity|luminous_intensity uint16 cd 0xFFFF=unknown 0...65534
        2b02|Mass Flow|mass_flow uint16 g/s 0xFFFF=unknown 0...65534
        2b03|Perceived Lightness|perceived_lightness uint16
        2b04|Percentage 8|percentage_8 uint8 /2 % 0xFF=unknown 0...200
        2b05|Power|power uint24 *1e-1 W 0xFFFFFE=invalid 0xFFFFFF=unknown
        2b06|Power Specification|minimum_power_value uint24 *1e-1 W 0xFFFFFE=invalid 0xFFFFFF=unknown; typical_power_value uint24 *1e-1 W 0xFFFFFE=invalid 0xFFFFFF=unknown; maximum_power_value uint24 *1e-1 W 0xFFFFFE=invalid 0xFFFFFF=unknown
        2b07|Relative Runtime in a Current Range|relative_runtime_value uint8 /2 % 0xFF=unknown 0...200; minimum_current uint16 *1e-2 A 0xFFFF=unknown; maximum_current uint16 *1e-2 A 0xFFFF=unknown
        2b08|Relative Runtime in a Generic Level Range|relative_value uint8 /2 % 0xFF=unknown 0...200; minimum_generic_level uint16; maximum_generic_level uint16
        2b09|Relative Value in a Voltage Range|relative_value uint8 /2 % 0xFF=unknown 0...200; minimum_voltage uint16 /64 V 0xFFFF=unknown; maximum_voltage uint16 /64 V 0xFFFF=unknown
        2b0a|Relative Value in an Illuminance Range|relative_value uint8 /2 % 0xFF=unknown 0...200; minimum_illuminance uint24 *1e-2 lx 0xFFFFFF=unknown 0...16777214; maximum_illuminance uint24 *1e-2 lx 0xFFFFFF=unknown 0...16777214
        2b0b|Relative Value in a Period of Day|relative_value uint8 /2 % 0xFF=unknown 0...200; start_time uint8 *1e-1 h 0xFF=unknown 0...239; end_time uint8 *1e-1 h 0xFF=unknown 0...239
        2b0c|Relative Value in a Temperature Range|relative_value uint8 /2 % 0xFF=unknown 0...200; minimum_temperature_value sint16 *1e-2 °C 0x8000=unknown -27315...32767; maximum_temperature_value sint16 *1e-2 °C 0x8000=unknown -27315...32767
        2b0d|Temperature 8|temperature_8 sint8 /2 °C 0x7F=unknown
        2b0e|Temperature 8 in a Period of Day|temperature sint8 /2 °C 0x7F=unknown; start_time uint8 *1e-1 h 0xFF=unknown 0...239; end_time uint8 *1e-1 h 0xFF=unknown 0...239
        2b0f|Temperature 8 Statistics|average sint8 /2 °C 0x7F=unknown; standard_deviation_value sint8 /2 °C 0x7F=unknown; minimum_value sint8 /2 °C 0x7F=unknown; maximum_value sint8 /2 °C 0x7F=unknown; sensing_duration timeexp8 s 254=lifetime 255=unknown
        2b10|Temperature Range|minimum_temperature sint16 *1e-2 °C 0x8000=unknown -27315...32767; maximum_temperature sint16 *1e-2 °C 0x8000=unknown -27315...32767
        2b11|Temperature Statistics|average_temperature sint16 *1e-2 °C 0x8000=unknown -27315...32767; standard_deviation_temperature sint16 *1e-2 °C 0x8000=unknown -27315...32767; minimum_temperature sint16 *1e-2 °C 0x8000=unknown -27315...32767; maximum_temperature sint16 *1e-2 °C 0x8000=unknown -27315...32767; sensing_duration timeexp8 s 254=lifetime 255=unknown
        2b12|Time Decihour 8|time_decihour_8 uint8 *1e-1 h 0xFF=unknown 0...239
        2b13|Time Exponential 8|time_exponential_8 timeexp8 s 254=lifetime 255=unknown
        2b14|Time Hour 24|time_hour_24 uint24 h 0xFFFFFF=unknown
        2b15|Time Millisecond 24|time_millisecond_24 uint24 *1e-3 s 0xFFFFFF=unknown
        2b16|Time Second 16|time_second_16 uint16 s 0xFFFF=unknown
        2b17|Time Second 8|time_second_8 uint8 s 0xFF=unknown
        2b18|Voltage|voltage_value uint16 /64 V 0xFFFF=unknown
        2b19|Voltage Specification|minimum_voltage_value uint16 /64 V 0xFFFF=unknown; typical_voltage_value uint16 /64 V 0xFFFF=unknown; maximum_voltage_value uint16 /64 V 0xFFFF=unknown
        2b1a|Voltage Statistics|average_voltage_value uint16 /64 V 0xFFFF=unknown; standard_deviation_voltage_value uint16 /64 V 0xFFFF=unknown; minimum_voltage_value uint16 /64 V 0xFFFF=unknown; maximum_voltage_value uint16 /64 V 0xFFFF=unknown; sensing_duration timeexp8 s 254=lifetime 255=unknown
        2b1b|Volume Flow|volume_flow uint16 *1e-3 L/s 0xFFFF=unknown
        2b1c|Chromaticity Coordinate|chromaticity_coordinate uint16 /65536
        2b1d|RC Feature|
        2b1e|RC Settings|
        2b1f|Reconnection Configuration Control Point|
        2b20|IDD Status Changed|
        2b21|IDD Status|
        2b22|IDD Annunciation Status|
        2b23|IDD Features|
        2b24|IDD Status Reader Control Point|
        2b25|IDD Command Control Point|
        2b26|IDD Command Data|
        2b27|IDD Record Access Control Point|
        2b28|IDD History Data|
        2b29|Client Supported Features|
        2b2a|Database Hash|database_hash hex(16)
        2b2b|BSS Control Point|
        2b2c|BSS Response|
        2b2d|Emergency ID|
        2b2e|Emergency Text|
        2b2f|ACS Status|
        2b30|ACS Data In|
        2b31|ACS Data Out Notify|
        2b32|ACS Data Out Indicate|
        2b33|ACS Control Point|
        2b34|Enhanced Blood Pressure Measurement|flags bits8; systolic medfloat16 mmHg ?!0; diastolic medfloat16 mmHg ?!0; mean_arterial_pressure medfloat16 mmHg ?!0; systolic medfloat16 *1e3 Pa ?0; diastolic medfloat16 *1e3 Pa ?0; mean_arterial_pressure medfloat16 *1e3 Pa ?0; time_stamp uint32 s ?1; pulse_rate medfloat16 bpm ?2; user_id uint8 255=unknown ?3; measurement_status bits16 ?4; user_facing_time uint32 s ?5
        2b35|Enhanced Intermediate Cuff Pressure|flags bits8; intermediate_cuff_pressure medfloat16 mmHg ?!0; intermediate_cuff_pressure medfloat16 *1e3 Pa ?0; time_stamp uint32 s ?1; pulse_rate medfloat16 bpm ?2; user_id uint8 255=unknown ?3; measurement_status bits16 ?4; user_facing_time uint32 s ?5
        2b36|Blood Pressure Record|
        2b37|Registered User|
        2b38|BR-EDR Handover Data|
        2b39|Bluetooth SIG Data|
        2b3a|Server Supported Features|
        2b3b|Physical Activity Monitor Features|
        2b3c|General Activity Instantaneous Data|
        2b3d|General Activity Summary Data|
        2b3e|CardioRespiratory Activity Instantaneous Data|
        2b3f|CardioRespiratory Activity Summary Data|
        2b40|Step Counter Activity Summary Data|
        2b41|Sleep Activity Instantaneous Data|
        2b42|Sleep Activity Summary Data|
        2b43|Physical Activity Monitor Control Point|
        2b44|Physical Activity Current Session|
        2b45|Physical Activity Session Descriptor|
        2b46|Preferred Units|
        2b47|High Resolution Height|height uint16 *1e-4 m
        2b48|Middle Name|middle_name utf8s
        2b49|Stride Length|stride_length uint16 *1e-3 m
        2b4a|Handedness|handedness uint8
        2b4b|Device Wearing Position|device_wearing_position uint8
        2b4c|Four Zone Heart Rate Limits|light_moderate_limit uint8 bpm; moderate_hard_limit uint8 bpm; hard_maximum_limit uint8 bpm
        2b4d|High Intensity Exercise Threshold|field_selector uint8; threshold_as_energy_expenditure_per_hour uint16 *1e3 J ?=1; threshold_as_metabolic_equivalent uint8 *1e-1 MET ?=2; threshold_as_percentage_of_maximum_heart_rate uint8 % ?=3; threshold_as_heart_rate uint8 bpm ?=4
        2b4e|Activity Goal|presence_flags bits8; total_energy_expenditure uint16 *1e3 J ?0; normal_walking_steps uint24 ?1; intensity_steps uint24 ?2; floor_steps uint24 ?3; distance uint24 m ?4; duration_of_normal_walking uint24 s ?5; duration_of_intensity_walking uint24 s ?6
        2b4f|Sedentary Interval Notification|sedentary_interval_notification uint16 s
        2b50|Caloric Intake|caloric_intake uint16 kcal
        2b51|TMAP Role|
        2b77|Audio Input State|
        2b78|Gain Settings Attribute|
        2b79|Audio Input Type|
        2b7a|Audio Input Status|
        2b7b|Audio Input Control Point|
        2b7c|Audio Input Description|
        2b7d|Volume State|volume_setting uint8; mute uint8; change_counter uint8
        2b7e|Volume Control Point|
        2b7f|Volume Flags|
        2b80|Volume Offset State|
        2b81|Audio Location|
        2b82|Volume Offset Control Point|
        2b83|Audio Output Description|
        2b84|Set Identity Resolving Key|
        2b85|Coordinated Set Size|
        2b86|Set Member Lock|
        2b87|Set Member Rank|
        2b88|Encrypted Data Key Material|
        2b89|Apparent Energy 32|apparent_energy_32 uint32 *1e-3 kVAh 0xFFFFFFFE=invalid 0xFFFFFFFF=unknown
        2b8a|Apparent Power|apparent_power uint24 *1e-1 VA 0xFFFFFE=invalid 0xFFFFFF=unknown
        2b8b|Live Health Observations|
        2b8c|CO2 Concentration|co2_concentration uint16 ppm 0xFFFE=over 0xFFFF=unknown
        2b8d|Cosine of the Angle|cosine_of_the_angle sint8 *1e-2 0x7F=unknown -100...100
        2b8e|Device Time Feature|
        2b8f|Device Time Parameters|
        2b90|Device Time|
        2b91|Device Time Control Point|
        2b92|Time Change Log Data|
        2b93|Media Player Name|
        2b94|Media Player Icon Object ID|
        2b95|Media Player Icon URL|
        2b96|Track Changed|
        2b97|Track Title|
        2b98|Track Duration|
        2b99|Track Position|
        2b9a|Playback Speed|
        2b9b|Seeking Speed|
        2b9c|Current Track Segments Object ID|
        2b9d|Current Track Object ID|
        2b9e|Next Track Object ID|
        2b9f|Parent Group Object ID|
        2ba0|Current Group Object ID|
        2ba1|Playing Order|
        2ba2|Playing Orders Supported|
        2ba3|Media State|
        2ba4|Media Control Point|
        2ba5|Media Control Point Opcodes Supported|
        2ba6|Search Results Object ID|
        2ba7|Search Control Point|
        2ba8|Energy 32|energy_32 uint32 *1e-3 kWh 0xFFFFFFFE=invalid 0xFFFFFFFF=unknown
        2bad|Constant Tone Extension Enable|
        2bae|Advertising Constant Tone Extension Minimum Length|
        2baf|Advertising Constant Tone Extension Minimum Transmit Count|
        2bb0|Advertising Constant Tone Extension Transmit Duration|
        2bb1|Advertising Constant Tone Extension Interval|
        2bb2|Advertising Constant Tone Extension PHY|
        2bb3|Bearer Provider Name|
        2bb4|Bearer UCI|
        2bb5|Bearer Technology|
        2bb6|Bearer URI Schemes Supported List|
        2bb7|Bearer Signal Strength|
        2bb8|Bearer Signal Strength Reporting Interval|
        2bb9|Bearer List Current Calls|
        2bba|Content Control ID|content_control_id uint8
        2bbb|Status Flags|
        2bbc|Incoming Call Target Bearer URI|
        2bbd|Call State|
        2bbe|Call Control Point|
        2bbf|Call Control Point Optional Opcodes|
        2bc0|Termination Reason|
        2bc1|Incoming Call|
        2bc2|Call Friendly Name|
        2bc3|Mute|
        2bc4|Sink ASE|
        2bc5|Source ASE|
        2bc6|ASE Control Point|
        2bc7|Broadcast Audio Scan Control Point|
        2bc8|Broadcast Receive State|
        2bc9|Sink PAC|
        2bca|Sink Audio Locations|
        2bcb|Source PAC|
        2bcc|Source Audio Locations|
        2bcd|Available Audio Contexts|
        2bce|Supported Audio Contexts|
        2bcf|Ammonia Concentration|ammonia_concentration medfloat16 kg/m³
        2bd0|Carbon Monoxide Concentration|carbon_monoxide_concentration medfloat16 kg/m³
        2bd1|Methane Concentration|methane_concentration medfloat16 ppb
        2bd2|Nitrogen Dioxide Concentration|nitrogen_dioxide_concentration medfloat16 kg/m³
        2bd3|Non-Methane Volatile Organic Compounds Concentration|non_methane_volatile_organic_compounds_concentration medfloat16 kg/m³
        2bd4|Ozone Concentration|ozone_concentration medfloat16 kg/m³
        2bd5|Particulate Matter - PM1 Concentration|particulate_matter_pm1_concentration medfloat16 kg/m³
        2bd6|Particulate Matter - PM2.5 Concentration|particulate_matter_pm2_5_concentration medfloat16 kg/m³
        2bd7|Particulate Matter - PM10 Concentration|particulate_matter_pm10_concentration medfloat16 kg/m³
        2bd8|Sulfur Dioxide Concentration|sulfur_dioxide_concentration medfloat16 kg/m³
        2bd9|Sulfur Hexafluoride Concentration|sulfur_hexafluoride_concentration medfloat16 kg/m³
        2bda|Hearing Aid Features|
        2bdb|Hearing Aid Preset Control Point|
        2bdc|Active Preset Index|
        2bdd|Stored Health Observations|
        2bde|Fixed String 64|fixed_string_64 utf8s(64)
        2bdf|High Temperature|high_temperature sint16 /2 °C 0x8001=invalid 0x8000=unknown -546...32767
        2be0|High Voltage|high_voltage uint24 /64 V 0xFFFFFF=unknown
        2be1|Light Distribution|light_distribution uint8
        2be2|Light Output|light_output uint24 lm 0xFFFFFE=invalid 0xFFFFFF=unknown
        2be3|Light Source Type|light_source_type uint8
        2be4|Noise|noise uint8 dB 0xFE=over 0xFF=unknown
        2be5|Relative Runtime in a Correlated Color Temperature Range|relative_runtime uint8 /2 % 0xFF=unknown 0...200; minimum_correlated_color_temperature uint16 K 0xFFFF=unknown; maximum_correlated_color_temperature uint16 K 0xFFFF=unknown
        2be6|Time Second 32|time_second_32 uint32 s 0xFFFFFFFF=unknown
        2be7|VOC Concentration|voc_concentration uint16 ppb 0xFFFE=over 0xFFFF=unknown
        2be8|Voltage Frequency|voltage_frequency uint16 Hz 0xFFFE=invalid 0xFFFF=unknown
        2be9|Battery Critical Status|battery_critical_status bits8
        2bea|Battery Health Status|flags bits8; battery_health_summary uint8 % ?0; cycle_count uint16 ?1; current_temperature sint8 °C 0x7F=over 0x80=under ?2; deep_discharge_count uint16 ?3
        2beb|Battery Health Information|flags bits8; cycle_count_designed_lifetime uint16 ?0; min_designed_operating_temperature sint8 °C 0x7F=over 0x80=under ?1; max_designed_operating_temperature sint8 °C 0x7F=over 0x80=under ?1
        2bec|Battery Information|flags bits16; battery_features bits8; battery_manufacture_date uint24 d ?0; battery_expiration_date uint24 d ?1; battery_designed_capacity medfloat16 kWh ?2; battery_low_energy medfloat16 kWh ?3; battery_critical_energy medfloat16 kWh ?4; battery_chemistry uint8 ?5; nominal_voltage medfloat16 V ?6; battery_aggregation_group uint8 ?7
        2bed|Battery Level Status|flags bits8; power_state bits16; identifier uint16 ?0; battery_level uint8 % 0...100 ?1; additional_status bits8 ?2
        2bee|Battery Time Status|flags bits8; time_until_discharged uint24 min 0xFFFFFF=unknown 0xFFFFFE=over; time_until_discharged_on_standby uint24 min 0xFFFFFF=unknown 0xFFFFFE=over ?0; time_until_recharged uint24 min 0xFFFFFF=unknown 0xFFFFFE=over ?1
        2bef|Estimated Service Date|estimated_service_date uint24 d
        2bf0|Battery Energy Status|flags bits8; external_source_power medfloat16 W ?0; present_voltage medfloat16 V ?1; available_energy medfloat16 kWh ?2; available_battery_capacity medfloat16 kWh ?3; charge_rate medfloat16 W ?4; available_energy_at_last_charge medfloat16 kWh ?5
        2bf1|Observation Schedule Changed|
        2bf2|Elapsed Time|flags bits8; time_value uint48; time_sync_source_type uint8; tz_dst_offset sint8 *15 min
        2bf3|Health Sensor Features|
        2bf4|GHS Control Point|
        2bf5|LE GATT Security Levels|
        2bf6|ESL Address|
        2bf7|AP Sync Key Material|
        2bf8|ESL Response Key Material|
        2bf9|ESL Current Absolute Time|
        2bfa|ESL Display Information|
        2bfb|ESL Image Information|
        2bfc|ESL Sensor Information|
        2bfd|ESL LED Information|
        2bfe|ESL Control Point|
        2bff|UDI for Medical Devices|flags bits8; udi_label utf8z ?0; udi_device_identifier utf8z ?1; udi_issuer utf8z ?2; udi_authority utf8z ?3
        2c00|GMAP Role|
        2c01|UGG Features|
        2c02|UGT Features|
        2c03|BGS Features|
        2c04|BGR Features|
        2c05|Percentage 8 Steps|percentage_8_steps uint8 0xFF=unknown 1...200
        2c06|Acceleration|acceleration sint32 *1e-3 m/s² 0x7FFFFFFF=unknown
        2c07|Force|force sint32 *1e-3 N 0x7FFFFFFF=unknown
        2c08|Linear Position|linear_position sint32 *1e-7 m 0x7FFFFFFF=unknown
        2c09|Rotational Speed|rotational_speed sint32 rpm 0x7FFFFFFF=unknown
        2c0a|Length|length uint32 *1e-7 m 0xFFFFFFFF=unknown
        2c0b|Torque|torque sint32 *1e-2 N·m 0x7FFFFFFF=unknown
        2c0c|IMD Status|
        2c0d|IMDS Descriptor Value Changed|
        2c0e|First Use Date|
        2c0f|Life Cycle Data|
        2c10|Work Cycle Data|
        2c11|Service Cycle Data|
        2c12|IMD Control|
        2c13|IMD Historical Data|
        2c14|RAS Features|
        2c15|Real-time Ranging Data|
        2c16|On-demand Ranging Data|
        2c17|RAS Control Point|
        2c18|Ranging Data Ready|
        2c19|Ranging Data Overwritten|
        2c1a|Coordinated Set Name|
        2c1b|Humidity 8|humidity_8 uint8 /2 % 0xFF=unknown 0...200
        2c1c|Illuminance 16|illuminance_16 uint16 lx 0xFFFF=unknown
        2c1d|Acceleration - 3D|vector_x sint8 *1e-2 gₙ 0x7E=out_of_range 0x7F=unknown; vector_y sint8 *1e-2 gₙ 0x7E=out_of_range 0x7F=unknown; vector_z sint8 *1e-2 gₙ 0x7E=out_of_range 0x7F=unknown
        2c1e|Precise Acceleration - 3D|vector_x sint16 *1e-3 gₙ 0x7FFE=out_of_range 0x7FFF=unknown; vector_y sint16 *1e-3 gₙ 0x7FFE=out_of_range 0x7FFF=unknown; vector_z sint16 *1e-3 gₙ 0x7FFE=out_of_range 0x7FFF=unknown
        2c1f|Acceleration Detection Status|acceleration_detection_status uint8
        2c20|Door/Window Status|open_status uint8
        2c21|Pushbutton Status 8|button_0_status uint2; button_1_status uint2; button_2_status uint2; button_3_status uint2
        2c22|Contact Status 8|contact_status bits8
        2c23|HID ISO Properties|
        2c24|LE HID Operation Mode|
        2c25|Cookware Description|
        2c26|Recipe Control|
        2c27|Recipe Parameters|
        2c28|Cooking Step Status|flags bits8; cooking_step_index uint16; remaining_time uint16 s 0xFFFF=unknown
        2c29|Cooking Zone Capabilities|
        2c2a|Cooking Zone Desired Cooking Conditions|
        2c2b|Cooking Zone Actual Cooking Conditions|
        2c2c|Cookware Sensor Data|
        2c2d|Cookware Sensor Aggregate|
        2c2e|Cooking Temperature|temperature sint16 *1e-1 °C 0x8000=unknown -1000...10000
        2c2f|Cooking Zone Perceived Power|
        2c30|Kitchen Appliance Airflow|kitchen_appliance_airflow uint16 *1e-3 m³/s 0xFFFF=unknown
        2c31|Voice Assistant Name|
        2c32|Voice Assistant UUID|
        2c33|Voice Assistant Service Control Point|
        2c34|Installed Location|
        2c35|Voice Assistant Session State|
        2c36|Voice Assistant Session Flag|
        2c37|Voice Assistant Supported Languages|
        2c38|Voice Assistant Supported Features|
        """)
}
