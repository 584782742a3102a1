#!/usr/bin/env python3
"""Two stages: what is said is cleaned before anyone reads it, and links in replies lose what follows people around."""

import re
import unicodedata

from homed_plugin import Plugin

plugin = Plugin()

INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
TRACKER = re.compile(r"([?&])(?:utm_[a-z]+|fbclid|gclid|spm)=[^\s&#)\]]*")


def clean(text):
    text = INVISIBLE.sub("", unicodedata.normalize("NFC", text))
    return re.sub(r"[ \t]{2,}", " ", text).strip()


def untracked(text):
    """Takes the parameters out of every link and puts its punctuation right."""
    while True:
        shorter = TRACKER.sub(r"\1", text)
        shorter = re.sub(r"([?&])&+", r"\1", shorter)
        shorter = re.sub(r"[?&](?=$|[\s#)\]])", "", shorter)
        if shorter == text:
            return text
        text = shorter


@plugin.stage("on_input")
def on_input(ctx, call):
    ctx["raw_message"] = clean(ctx["raw_message"])


@plugin.stage("before_output")
def before_output(ctx, call):
    if plugin.setting("links"):
        ctx["final_text"] = untracked(ctx["final_text"])


if __name__ == "__main__":
    plugin.run()
