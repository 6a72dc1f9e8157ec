"""Chromium, driven by WebDriver. It needs the programs chromium and chromedriver, and nothing else."""
import json, subprocess, time, urllib.error, urllib.request


class Browser:
    """A window of a new, invisible Chromium."""

    def __init__(self, width, height=900, dark=False, script=True):
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, text=True)
        for line in self.driver.stdout:
            if "started successfully on port" in line:
                self.base = f"http://127.0.0.1:{line.split()[-1].rstrip('.')}"
                break
        options = {"args": ["--headless=new", "--no-sandbox", "--disable-gpu", f"--window-size={width},{height}"]}
        session = self.call("POST", "/session", {"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}}})
        self.base += f"/session/{session['sessionId']}"
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.command("Emulation.setEmulatedMedia", features=[scheme])
        if not script:
            self.command("Emulation.setScriptExecutionDisabled", value=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()

    def call(self, method, path, body=None):
        request = urllib.request.Request(
            self.base + path, method=method, data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{path}: {json.load(error)['value']['message'][:500]}") from None

    def command(self, name, **parameters):
        """A command of the DevTools protocol."""
        return self.call("POST", "/goog/cdp/execute", {"cmd": name, "params": parameters})

    def open(self, url):
        self.call("POST", "/url", {"url": url})

    def run(self, script, *arguments):
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def run_async(self, script, *arguments):
        return self.call("POST", "/execute/async", {"script": script, "args": list(arguments)})

    def source(self):
        return self.call("GET", "/source")

    def console(self):
        """The lines since the last call."""
        return [entry["message"] for entry in self.call("POST", "/se/log", {"type": "browser"})]

    def requests(self):
        """The addresses of all requests since the last call, and those that failed with the reason."""
        addresses, problems = {}, []
        for entry in self.call("POST", "/se/log", {"type": "performance"}):
            message = json.loads(entry["message"])["message"]
            event = message["params"]
            if message["method"] == "Network.requestWillBeSent":
                addresses[event["requestId"]] = event["request"]["url"]
            elif message["method"] == "Network.responseReceived" and event["response"]["status"] >= 400:
                problems.append((event["response"]["url"], event["response"]["status"]))
            # A page that is left cancels its requests.
            elif message["method"] == "Network.loadingFailed" and not event.get("canceled"):
                problems.append((addresses.get(event["requestId"]), event["errorText"]))
        return list(addresses.values()), problems
