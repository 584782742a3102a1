"""homed plugins in Python: one file, no dependencies, Python 3.8 or newer.

    from homed_plugin import Plugin

    plugin = Plugin()

    @plugin.tool("weather_today", "Today's weather", {"type": "object", "properties": {"place": {"type": "string"}}})
    def today(args, call):
        return {"place": args.get("place"), "sky": "blue"}

    @plugin.stage("before_output")
    def shorten(ctx, call):
        ctx["final_text"] = ctx["final_text"].strip()

    plugin.run()

Handlers run in threads of their own. What they raise becomes the failure that homed is told. `print` goes to the log, as
stdout belongs to the protocol. A handler that should end early watches `call.cancelled`; one that does not is ended with
its process.
"""

import json
import mmap
import os
import struct
import sys
import threading
import traceback

PROTOCOL = 1
SDK_VERSION = "0.1.0"
MAX_FRAME = 1 << 20
SLICE_BYTES = 4096
MAGIC = 0x44454D48
# Words of the segment's header (docs/protocol.md).
(W_MAGIC, W_VERSION, W_SIZE, W_LOCK, W_SEQ, W_CTX_VERSION, W_ACTIVE, W_LENGTH_0, W_LENGTH_1, W_CTX_OFFSET,
 W_CTX_CAPACITY, W_SLICES_OFFSET, W_SLICES_SIZE, W_RING_OFFSET, W_RING_SIZE) = range(15)


class HomedError(Exception):
    """What homed answered to a call: a numeric code and a sentence."""

    def __init__(self, code, message, data=None):
        super().__init__(message)
        self.code = code
        self.data = data


class Call:
    """What a handler is told besides its arguments."""

    def __init__(self, plugin, turn="", deadline_ms=0, seq=None):
        self.plugin = plugin
        self.turn = turn
        self.deadline_ms = deadline_ms
        self.blocks = None
        self._seq = seq
        self._cancelled = threading.Event()
        self._version = None
        self._base = None
        self._ctx = None

    @property
    def cancelled(self):
        return self._cancelled.is_set()

    def update(self, change):
        """In a stage: calls change(ctx) with the newest context while nobody else can change it."""
        plugin, seq = self.plugin, self._seq
        answer = plugin.call("core.stage.lock", {"seq": seq, "have": self._version})
        changes = answer.get("changes")
        if changes is not None:
            newest = {**self._base, **changes.get("set", {})}
            for field, items in changes.get("append", {}).items():
                newest[field] = newest[field] + items
        else:
            newest = answer.get("ctx") or plugin._segment.context()[1]
        edited = json.loads(json.dumps(newest))
        try:
            change(edited)
        except BaseException:
            plugin.call("core.stage.unlock", {"seq": seq, "dirty": []})
            raise
        patch = _diff(newest, edited)
        append = {field: now[len(newest[field]):] for field, now in patch.items() if _grew(newest[field], now)}
        patch = {field: now for field, now in patch.items() if field not in append}
        params = {"seq": seq, "dirty": list(patch), "append": append}
        inline = append or changes is not None or "ctx" in answer
        if inline or not plugin._segment or not plugin._segment.write_draft(edited):
            params["patch"] = patch
        else:
            del params["append"]
        self._version = plugin.call("core.stage.unlock", params)["version"]
        pending = _diff(self._base, self._ctx)
        self._base = json.loads(json.dumps(edited))
        self._ctx.update(edited)
        self._ctx.update(pending)


def _grew(before, after):
    return (isinstance(before, list) and isinstance(after, list) and len(after) > len(before)
            and after[:len(before)] == before)


def _diff(before, after):
    return {key: after[key] for key in after if key in before and before[key] != after[key]}


class _Segment:
    """The segment that homed shares with its plugins, mapped into memory."""

    def __init__(self, info):
        with open(info["path"], "r+b") as file:
            self.map = mmap.mmap(file.fileno(), info["size"])
        if self._word(W_MAGIC) != MAGIC or self._word(W_VERSION) != info["version"]:
            raise ValueError("the file is no segment of this version")
        self.ring_at = None

    def _word(self, index):
        return struct.unpack_from("<I", self.map, index * 4)[0]

    def context(self):
        for _ in range(1000):
            version, active = self._word(W_CTX_VERSION), self._word(W_ACTIVE) & 1
            length, capacity = self._word(W_LENGTH_0 + active), self._word(W_CTX_CAPACITY)
            start = self._word(W_CTX_OFFSET) + active * capacity
            copy = self.map[start:start + length]
            if version != 0 and (version, active) == (self._word(W_CTX_VERSION), self._word(W_ACTIVE) & 1):
                return version, json.loads(copy)
        raise HomedError(-32003, "The stage context changes too fast to be read")

    def write_draft(self, ctx):
        data = json.dumps(ctx, ensure_ascii=False).encode("utf-8", "replace")
        inactive = 1 - (self._word(W_ACTIVE) & 1)
        if len(data) > self._word(W_CTX_CAPACITY):
            return False
        start = self._word(W_CTX_OFFSET) + inactive * self._word(W_CTX_CAPACITY)
        self.map[start:start + len(data)] = data
        struct.pack_into("<I", self.map, (W_LENGTH_0 + inactive) * 4, len(data))
        return True

    def start_ring(self):
        self.ring_at, self.ring_seq = self._ring(3), self._ring(6)

    def _to_oldest(self, base, units):
        """Goes on at the oldest record that is whole."""
        while True:
            self.ring_at = self._ring(5)
            at = self.ring_at & (units - 1)
            length, seq = struct.unpack_from("<II", self.map, base + at * 8)
            if length == 0xFFFFFFFF:
                # A skip mark holds no number: the record behind it does.
                self.ring_at = (self.ring_at + units - at) & 0xFFFFFFFF
                seq = struct.unpack_from("<I", self.map, base + 4)[0]
            if (self._ring(4) - self.ring_at) & 0xFFFFFFFF <= units:
                self.ring_seq = seq
                return

    def _ring(self, word):
        return struct.unpack_from("<I", self.map, self._word(W_RING_OFFSET) + word * 4)[0]

    def events(self):
        """New events, and how many were overwritten before they were read."""
        base = self._word(W_RING_OFFSET) + 64
        units = self._ring(2) // 8
        found, missed = [], 0
        while self.ring_at != self._ring(3):
            at = self.ring_at & (units - 1)
            length, seq = struct.unpack_from("<II", self.map, base + at * 8)
            record = b"" if length == 0xFFFFFFFF else self.map[base + (at + 1) * 8:base + (at + 1) * 8 + length]
            if (self._ring(4) - self.ring_at) & 0xFFFFFFFF > units:
                before = self.ring_seq
                self._to_oldest(base, units)
                missed += (self.ring_seq - before) & 0xFFFFFFFF
            elif length == 0xFFFFFFFF:
                self.ring_at = (self.ring_at + units - at) & 0xFFFFFFFF
            else:
                self.ring_at = (self.ring_at + 1 + ((length + 7) >> 3)) & 0xFFFFFFFF
                self.ring_seq = (seq + 1) & 0xFFFFFFFF
                found.append(json.loads(record))
        return found, missed


class Plugin:
    """A plugin. Register handlers, then call run()."""

    def __init__(self):
        self.name = ""
        self.config = {}
        self.data_dir = ""
        self._out = sys.stdout.buffer
        sys.stdout = sys.stderr
        self._lock = threading.Lock()
        self._pending = {}
        self._running = {}
        self._last = 0
        self._registrations = []
        self._tools, self._stages, self._outputs, self._cleaners, self._listeners = {}, {}, {}, {}, []
        self._on_start, self._on_stop = [], []
        self._started = False
        self._segment = None

    # Registrations.

    def tool(self, name, description, parameters=None, **options):
        """Decorator for handler(args, call). Options: acts, no_memory, cleaner (a function text -> text)."""
        cleaner = options.pop("cleaner", None)
        if cleaner:
            self._cleaners[name] = cleaner
            options["cleaner"] = True

        def add(handler):
            self._tools[name] = handler
            self._register("core.tool.register", {
                "name": name, "description": description, "parameters": parameters or {"type": "object"}, **options})
            return handler
        return add

    def stage(self, stage, scope=None):
        """Decorator for handler(ctx, call), which edits ctx in place or returns the fields it changes."""
        def add(handler):
            first = stage not in self._stages
            self._stages.setdefault(stage, []).append(handler)
            if first:
                self._register("core.stage.register", {"stage": stage, **({"scope": scope} if scope else {})})
            return handler
        return add

    def output(self, name, caps, description, max_length=None):
        """Decorator for handler(message, call) -> {"status": …, "id": …}."""
        def add(handler):
            self._outputs[name] = handler
            more = {"max_length": max_length} if max_length else {}
            self._register("core.output.register", {"name": name, "caps": caps, "description": description, **more})
            return handler
        return add

    def on_start(self, handler):
        """Decorator for a function that runs when homed starts the plugin: settings and calls are there."""
        self._on_start.append(handler)
        return handler

    def on_stop(self, handler):
        self._on_stop.append(handler)
        return handler

    def subscribe(self, types, listener):
        """Calls listener(event, missed) for events of these types. Needs the capability `events`."""
        self._listeners.append((set(types), listener))
        if self._segment and self._segment.ring_at is None:
            self._segment.start_ring()
        self._register("core.events.subscribe", {"types": list(types)})

    def _register(self, method, params):
        if self._started:
            self.call(method, params)
        else:
            self._registrations.append((method, params))

    # Calls of homed.

    def call(self, method, params=None, timeout=None):
        """Calls a core.* method and returns its result. Raises HomedError."""
        done = threading.Event()
        with self._lock:
            self._last += 1
            number = self._last
            self._pending[number] = [done, None]
        self._send({"id": number, "method": method, "params": params or {}})
        if not done.wait(timeout):
            self._pending.pop(number, None)
            raise HomedError(-32004, "homed did not answer %s in time" % method)
        answer = self._pending.pop(number)[1]
        if "error" in answer:
            error = answer["error"]
            raise HomedError(error["code"], error["message"], error.get("data"))
        return answer["result"]

    def setting(self, key):
        return self.call("core.settings.get", {"key": key})["value"]

    def log(self, text, level="info"):
        self._send({"method": "core.log", "params": {"level": level, "text": str(text)}})

    # The line.

    def run(self):
        """Speaks with homed until it closes the line."""
        parts = []
        for line in sys.stdin.buffer:
            try:
                frame = json.loads(line)
            except ValueError:
                continue
            if "part" in frame:
                parts = [frame["data"]] if frame["part"] == 1 else parts + [frame["data"]]
                if frame["part"] != frame["of"]:
                    continue
                frame, parts = json.loads("".join(parts)), []
            self._receive(frame)
        os._exit(0)

    def _receive(self, frame):
        method, number = frame.get("method"), frame.get("id")
        if method is None:
            waiting = self._pending.get(number)
            if waiting:
                waiting[1] = frame
                waiting[0].set()
        elif number is None:
            self._notified(method, frame.get("params", {}))
        else:
            threading.Thread(target=self._answer, args=(number, method, frame.get("params", {})), daemon=True).start()

    def _notified(self, method, params):
        if method == "rpc.cancel":
            call = self._running.get(params.get("id"))
            if call:
                call._cancelled.set()
        elif method == "events.wake":
            events, missed = params.get("events"), params.get("missed", 0)
            if events is None:
                events, missed = self._segment.events()
            threading.Thread(target=self._deliver, args=(events, missed), daemon=True).start()

    def _deliver(self, events, missed):
        for event in events:
            for types, listener in self._listeners:
                if event["type"] in types:
                    try:
                        listener(event, missed)
                    except Exception:
                        self.log(traceback.format_exc(), "error")
            missed = 0

    def _answer(self, number, method, params):
        try:
            result = self._handle(number, method, self._unpack(params))
            self._send({"id": number, "result": self._pack(result)})
        except HomedError as error:
            self._send({"id": number, "error": {"code": error.code, "message": str(error)}})
        except Exception as error:
            sys.stderr.write(traceback.format_exc())
            sys.stderr.flush()
            message = "%s: %s" % (type(error).__name__, error)
            self._send({"id": number, "error": {"code": -32603, "message": message}})
        finally:
            self._running.pop(number, None)

    def _handle(self, number, method, params):
        if method == "handshake":
            if params["protocol"] != PROTOCOL:
                raise HomedError(-32603, "homed speaks protocol %s, this SDK %s" % (params["protocol"], PROTOCOL))
            self.name = params["plugin_name"]
            if params.get("shm"):
                try:
                    self._segment = _Segment(params["shm"])
                except (OSError, ValueError) as error:
                    sys.stderr.write("The shared segment cannot be mapped: %s\n" % error)
            return {"protocol": PROTOCOL, "sdk_version": SDK_VERSION, "shm": self._segment is not None}
        if method == "plugin.init":
            self.config, self.data_dir = params["config"], params["data_dir"]
            return {}
        if method == "plugin.start":
            for handler in self._on_start:
                handler()
            for name, given in self._registrations:
                self.call(name, given)
            self._started = True
            return {}
        if method == "plugin.stop":
            for handler in self._on_stop:
                handler()
            return {}
        if method == "tool.invoke":
            call = Call(self, params["turn"], params["deadline_ms"])
            self._running[number] = call
            result = self._tools[params["name"]](params["args"], call)
            return {"result": result, **({"blocks": call.blocks} if call.blocks else {})}
        if method == "stage.invoke":
            return self._stage(number, params)
        if method == "output.invoke":
            call = Call(self)
            self._running[number] = call
            answer = self._outputs[params["channel"]](params, call)
            return answer if isinstance(answer, dict) else {"status": "failed" if answer is False else "sent"}
        if method == "cleaner.invoke":
            return {"text": self._cleaners[params["name"]](params["text"])}
        raise HomedError(-32601, "There is no method %s" % method)

    def _stage(self, number, params):
        call = Call(self, seq=params["seq"])
        self._running[number] = call
        call._version, call._ctx = params["version"], params.get("ctx")
        if call._ctx is None:
            call._version, call._ctx = self._segment.context()
        call._base = json.loads(json.dumps(call._ctx))
        for handler in self._stages.get(params["stage"], []):
            changed = handler(call._ctx, call)
            if isinstance(changed, dict) and changed is not call._ctx:
                call._ctx.update(changed)
        patch = _diff(call._base, call._ctx)
        return {"patch": patch, "version": call._version} if patch else {}

    # Large fields.

    def _pack(self, fields):
        if not self._segment:
            return fields
        packed = dict(fields)
        for name, value in fields.items():
            if isinstance(value, str):
                data, encoding = value.encode("utf-8", "replace"), "text"
            elif isinstance(value, (bytes, bytearray)):
                data, encoding = bytes(value), "bytes"
            elif isinstance(value, (dict, list)):
                data, encoding = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"), "json"
            else:
                continue
            if len(data) <= SLICE_BYTES:
                continue
            try:
                offset = self.call("core.segment.alloc", {"size": len(data)})["offset"]
            except HomedError:
                continue
            self._segment.map[offset:offset + len(data)] = data
            packed[name] = {"$slice": {"offset": offset, "length": len(data), "encoding": encoding}}
        return packed

    def _unpack(self, fields):
        unpacked = dict(fields)
        for name, value in fields.items():
            if isinstance(value, dict) and isinstance(value.get("$slice"), dict) and self._segment:
                at = value["$slice"]
                data = self._segment.map[at["offset"]:at["offset"] + at["length"]]
                unpacked[name] = (data if at["encoding"] == "bytes" else data.decode("utf-8")
                                  if at["encoding"] == "text" else json.loads(data))
        return unpacked

    def _send(self, frame):
        text = json.dumps({"jsonrpc": "2.0", **frame})
        lines = [text]
        if len(text) > MAX_FRAME:
            size = MAX_FRAME // 2 - 100
            pieces = [text[at:at + size] for at in range(0, len(text), size)]
            lines = [json.dumps({"part": part, "of": len(pieces), "data": piece})
                     for part, piece in enumerate(pieces, 1)]
        with self._lock:
            for line in lines:
                self._out.write(line.encode() + b"\n")
            self._out.flush()
