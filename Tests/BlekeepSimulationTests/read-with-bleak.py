"""Reads a simulated peripheral with bleak, as anybody else would, and prints what it found as JSON."""
import asyncio
import json
import sys

from bleak import BleakClient, BleakScanner

TEMPERATURE = "00002a6e-0000-1000-8000-00805f9b34fb"
BATTERY = "00002a19-0000-1000-8000-00805f9b34fb"


async def main(address):
    device = await BleakScanner.find_device_by_address(address, timeout=10)
    notified = asyncio.get_running_loop().create_future()

    def on_notification(_, value):
        if not notified.done():
            notified.set_result(bytes(value))

    async with BleakClient(device) as client:
        found = {
            "name": device.name,
            "services": sorted(service.uuid for service in client.services),
            "temperature": list(await client.read_gatt_char(TEMPERATURE)),
            "battery": list(await client.read_gatt_char(BATTERY)),
        }
        await client.start_notify(TEMPERATURE, on_notification)
        found["notified"] = list(await asyncio.wait_for(notified, 20))
        await client.stop_notify(TEMPERATURE)
    print(json.dumps(found))


asyncio.run(main(sys.argv[1]))
