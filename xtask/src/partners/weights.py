"""Makes a Qwen2-VL that always gives one reply, with handmade weights in the form that the Transformers library saves.

Usage: weights.py FOLDER < REPLY. Every byte is a token, and so is the reply. All layers are zero, so the head sees only
whether the last token was the reply, which it then ends.
"""

import json
import sys
from pathlib import Path

import torch
from tokenizers import AddedToken
from transformers import (
    Qwen2TokenizerFast,
    Qwen2VLConfig,
    Qwen2VLForConditionalGeneration,
    Qwen2VLImageProcessor,
    Qwen2VLProcessor,
    Qwen2VLVideoProcessor,
)

WIDTH, END, PAD = 256, "<|im_end|>", "<|endoftext|>"
VISION = ["<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>"]
TEMPLATE = """\
{%- if tools %}<|im_start|>system
# Tools
{%- for tool in tools %}
{{ tool | tojson }}
{%- endfor %}<|im_end|>
{% endif %}
{%- for message in messages %}<|im_start|>{{ message.role }}
{% if message.content is string %}{{ message.content }}
{%- else %}
{%- for part in message.content or [] %}
{%- if part.type == 'text' %}{{ part.text }}{% else %}<|vision_start|><|image_pad|><|vision_end|>{% endif %}
{%- endfor %}
{%- endif %}
{%- for call in message.tool_calls or [] %}
<tool_call>
{{ call.function | tojson }}
</tool_call>
{%- endfor %}<|im_end|>
{% endfor %}
{%- if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""


def tokenizer_of(reply):
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    letters = [chr(byte) for byte in plain] + [chr(256 + number) for number in range(256 - len(plain))]
    vocabulary = {text: at for at, text in enumerate([*letters, "ĠĠ", PAD])}
    tokenizer = Qwen2TokenizerFast(vocab=vocabulary, merges=[("Ġ", "Ġ")])
    tokenizer.add_special_tokens({"additional_special_tokens": ["<|im_start|>", END, *VISION]})
    tokenizer.add_tokens([AddedToken(reply, special=False, normalized=False)])
    tokenizer.eos_token, tokenizer.pad_token = END, PAD
    return tokenizer


def model_of(tokenizer, reply):
    number = {token: tokenizer.convert_tokens_to_ids(token) for token in [END, PAD, reply, *VISION]}
    ends = {"eos_token_id": number[END], "pad_token_id": number[PAD]}
    places = {"rope_type": "default", "mrope_section": [8, 12, 12], "rope_theta": 1e6}
    text = {"vocab_size": len(tokenizer), "hidden_size": WIDTH, "intermediate_size": WIDTH, "num_hidden_layers": 1}
    text |= {"num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 32768}
    config = Qwen2VLConfig(
        text_config={**text, "rope_parameters": places, "bos_token_id": number[PAD], **ends},
        vision_config={"depth": 1, "embed_dim": 128, "hidden_size": WIDTH, "num_heads": 2, "mlp_ratio": 2},
        image_token_id=number["<|image_pad|>"],
        video_token_id=number["<|video_pad|>"],
        vision_start_token_id=number["<|vision_start|>"],
        vision_end_token_id=number["<|vision_end|>"],
        tie_word_embeddings=False,
    )
    model = Qwen2VLForConditionalGeneration(config)
    there, said = 0, 1
    with torch.no_grad():
        for name, weights in model.named_parameters():
            weights.fill_("norm" in name and name.endswith("weight"))
        model.get_input_embeddings().weight[:, there] = 1
        model.get_input_embeddings().weight[number[reply], said] = 1
        model.lm_head.weight[number[reply], there] = 20
        model.lm_head.weight[number[END], said] = 1000
    model.generation_config.update(**ends)
    return model


def as_mlx_reads_it(file):
    """Adds the values that mlx-vlm looks for in older places of a config."""
    config = json.loads(file.read_text("utf-8"))
    text = config["text_config"]
    config = text | config
    config["rope_theta"] = text["rope_parameters"]["rope_theta"]
    config["rope_scaling"] = text["rope_scaling"] = {"type": "mrope", **text["rope_parameters"]}
    config["vision_config"]["model_type"] = "qwen2_vl"
    file.write_text(json.dumps(config), "utf-8")


def main():
    folder, reply = Path(sys.argv[1]), sys.stdin.read()
    tokenizer = tokenizer_of(reply)
    pictures, films = Qwen2VLImageProcessor(), Qwen2VLVideoProcessor()
    processor = Qwen2VLProcessor(
        image_processor=pictures, tokenizer=tokenizer, video_processor=films, chat_template=TEMPLATE
    )
    model = model_of(tokenizer, reply)
    for name in ("model", "mlx"):
        processor.save_pretrained(folder / name)
        model.save_pretrained(folder / name)
    as_mlx_reads_it(folder / "mlx/config.json")


main()
