"""Handmade weights: a tiny Qwen3-VL that gives scripted replies, one after the other, and sees nothing.

Each reply is one token, and so is the mark that identifies it when the conversation comes back. One layer of attention
looks for those tokens, and the head writes the reply after the last one found. The model is therefore a function of the
conversation as the server's chat template writes it: if the template loses an exchange, the model repeats its reply.
"""

import json
from pathlib import Path

import gguf
import numpy

FEED, LONGEST = 32, 131072
# The parts of a token's vector: that it is there, that it ends a reply, which reply it is, which replies were found.
THERE, END, REPLY = 0, 1, 2


def provide_for(count):
    """Makes vectors long enough for this many replies, with two numbers for each."""
    global MOST_REPLIES, WIDTH, HEAD, FOUND
    MOST_REPLIES, WIDTH, HEAD = (30, 64, 32) if count <= 30 else (94, 192, 96)
    FOUND = REPLY + MOST_REPLIES

STOP, PAD = "<|im_end|>", "<|endoftext|>"
CONTROL = [STOP, PAD, "<|im_start|>", "<|vision_start|>", "<|vision_end|>", "<|image_pad|>"]


def vocabulary(path):
    """Returns the tokens and the merges of a vocabulary that vocabulary.py wrote."""
    words = json.loads(Path(path).read_text("utf-8"))
    tokens = [(text, kind, None) for text, kind in zip(words["tokens"], words["types"], strict=True)]
    known = {*words["tokens"]}
    tokens += [(text, gguf.TokenType.CONTROL, None) for text in CONTROL if text not in known]
    return tokens, words["merges"]


def bytes_alone():
    """Returns a vocabulary of single bytes."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in plain]
    letters = [chr(byte) for byte in plain] + [chr(256 + number) for number in range(len(others))]
    tokens = [(letter, gguf.TokenType.NORMAL, None) for letter in [*letters, "ĠĠ"]]
    tokens += [(text, gguf.TokenType.CONTROL, None) for text in CONTROL]
    return tokens, ["Ġ Ġ"]  # llama.cpp requires at least one merge.


def with_replies(tokens, replies):
    """Adds every reply and its mark as tokens, each with its text, its kind and the reply's number."""
    for number, reply in enumerate(replies):
        for text in (reply["text"], reply["mark"]):
            tokens.append((text, gguf.TokenType.USER_DEFINED, number))
    return tokens


def zeros(*shape):
    return numpy.zeros(shape, numpy.float32)


def embedding_of(tokens):
    embedding = zeros(len(tokens), WIDTH)
    embedding[:, THERE] = 1
    for at, (_, _, number) in enumerate(tokens):
        if number is not None:
            embedding[at, [END, REPLY + number]] = 1
    return embedding


def attention(count):
    """Returns weights with which every token asks and only replies answer, each with its number."""
    query, key, value, out = zeros(HEAD, WIDTH), zeros(HEAD, WIDTH), zeros(HEAD, WIDTH), zeros(WIDTH, HEAD)
    slow = HEAD // 2 - 1  # The part that positions rotate least, so that a reply's distance does not matter.
    query[slow, THERE] = 1
    for number in range(count):
        key[slow, REPLY + number] = 1
        value[number, REPLY + number] = 1
        out[FOUND + number, number] = 1
    return {"attn_q": query, "attn_k": key, "attn_v": value, "attn_output": out}


def head_of(tokens, count):
    """Returns weights that end a reply just written, else write the one after those found, or the last again."""
    says = [next(at for at, token in enumerate(tokens) if token[2] == number) for number in range(count)]
    head = zeros(len(tokens), WIDTH)
    head[[text for text, _, _ in tokens].index(STOP), END] = 1000
    head[says[0], THERE] = 20
    head[says[0], FOUND : FOUND + count] = -100
    for number in range(1, count):
        head[says[number], FOUND + number - 1] = 100
        head[says[number], FOUND + number] = -200
    head[says[-1], FOUND + count - 1] = 100
    return head


def chance(tokens, seed):
    """Returns weights with which any token of plain characters can follow any other.

    Other tokens are parts of characters, which would make the text invalid.
    """
    numbers = numpy.random.default_rng(seed)
    embedding, head = numbers.standard_normal((2, len(tokens), WIDTH), numpy.float32)
    embedding[:, THERE], head[:, THERE] = 8, 0
    plain = {*map(chr, range(33, 127)), "Ġ", "Ċ"}
    odd = [at for at, (text, kind, _) in enumerate(tokens) if kind == gguf.TokenType.NORMAL and not plain.issuperset(text)]
    head[odd, THERE] = -1000
    return embedding, head / 16


def write_model(path, template, replies, words=None, seed=None):
    """Writes a model that gives these replies or, if there is a seed, random text."""
    provide_for(len(replies))
    assert seed is not None or 1 < len(replies) <= MOST_REPLIES, "a model needs at least two replies"
    tokens, merges = vocabulary(words) if words else bytes_alone()
    tokens, count = with_replies(tokens, replies), len(replies)
    names = [text for text, _, _ in tokens]
    writer = gguf.GGUFWriter(path, "qwen3vl")
    writer.add_context_length(LONGEST)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(1)
    writer.add_feed_forward_length(FEED)
    writer.add_head_count(1)
    writer.add_head_count_kv(1)
    writer.add_key_length(HEAD)
    writer.add_value_length(HEAD)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_rope_freq_base(1e9)
    writer.add_rope_dimension_count(HEAD)
    writer.add_rope_dimension_sections([HEAD // 2 - HEAD // 6 * 2, HEAD // 6, HEAD // 6, 0])
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("qwen2")
    writer.add_token_list(names)
    writer.add_token_types([kind for _, kind, _ in tokens])
    writer.add_token_merges(merges)
    writer.add_eos_token_id(names.index(STOP))
    writer.add_pad_token_id(names.index(PAD))
    writer.add_add_bos_token(False)
    writer.add_chat_template(template)

    ones, threes = numpy.ones(WIDTH, numpy.float32), numpy.full(HEAD, 3, numpy.float32)
    block = {"attn_norm": ones, "ffn_norm": ones, "attn_q_norm": threes, "attn_k_norm": threes, **attention(count)}
    block |= {"ffn_gate": zeros(FEED, WIDTH), "ffn_up": zeros(FEED, WIDTH), "ffn_down": zeros(WIDTH, FEED)}
    embedding, head = (embedding_of(tokens), head_of(tokens, count)) if seed is None else chance(tokens, seed)
    tensors = {"token_embd": embedding, "output": head, "output_norm": ones}
    tensors |= {f"blk.0.{name}": weights for name, weights in block.items()}
    finish(writer, {f"{name}.weight": weights for name, weights in tensors.items()})


def write_eyes(path):
    """Writes the part that accepts pictures as Qwen3-VL's does, but ignores what they show."""
    width, patch, side, merge = 32, 16, 768, 2
    writer = gguf.GGUFWriter(path, "clip")
    writer.add_bool("clip.has_vision_encoder", True)
    writer.add_string("clip.projector_type", "qwen3vl_merger")
    writer.add_bool("clip.use_gelu", True)
    sizes = {"embedding_length": width, "feed_forward_length": width, "block_count": 1, "projection_dim": WIDTH}
    sizes |= {"image_size": side, "patch_size": patch, "spatial_merge_size": merge, "attention.head_count": 1}
    for name, size in sizes.items():
        writer.add_uint32(f"clip.vision.{name}", size)
    writer.add_float32("clip.vision.attention.layer_norm_epsilon", 1e-6)
    writer.add_array("clip.vision.image_mean", [0.5] * 3)
    writer.add_array("clip.vision.image_std", [0.5] * 3)

    merged = width * merge * merge
    layers = {"v.blk.0.attn_qkv": (3 * width, width), "mm.0": (merged, merged), "mm.2": (WIDTH, merged)}
    layers |= {f"v.blk.0.{name}": (width, width) for name in ("attn_out", "ffn_up", "ffn_down")}
    layers |= {name: (width,) for name in ("v.blk.0.ln1", "v.blk.0.ln2", "v.post_ln")}
    layers["v.patch_embd"] = (width, 3, patch, patch)
    tensors = {f"{name}.weight": zeros(*shape) for name, shape in layers.items()}
    tensors |= {f"{name}.bias": zeros(shape[0]) for name, shape in layers.items()}
    tensors["v.patch_embd.weight.1"] = zeros(width, 3, patch, patch)
    tensors["v.position_embd.weight"] = zeros((side // patch) ** 2, width)
    finish(writer, tensors)


def finish(writer, tensors):
    for name, weights in tensors.items():
        writer.add_tensor(name, weights)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
