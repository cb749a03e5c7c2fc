"""Models of the real architectures, small enough to make and save in a test."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def save_tiny_clip(folder: Path, *, seed: int = 0, positions: int = 12) -> Path:
    """A CLIP with a tokeniser that knows single letters, saved as transformers saves one."""
    import torch
    from transformers import CLIPConfig, CLIPModel

    folder.mkdir(exist_ok=True)
    pieces = [*LETTERS, *(f"{letter}</w>" for letter in LETTERS), "<|startoftext|>", "<|endoftext|>"]
    write_tokenizer(folder, pieces, "CLIPTokenizer", bos=pieces[-2], eos=pieces[-1], pad=pieces[-1], length=positions)
    shape = {"hidden_size": 16, "intermediate_size": 32, "num_attention_heads": 2, "num_hidden_layers": 2}
    text = {
        **shape,
        "vocab_size": len(pieces),
        "max_position_embeddings": positions,
        "bos_token_id": len(pieces) - 2,
        "eos_token_id": len(pieces) - 1,
        "pad_token_id": len(pieces) - 1,
    }
    vision = {**shape, "image_size": 16, "patch_size": 8}
    torch.manual_seed(seed)
    model = CLIPModel(CLIPConfig(text_config=text, vision_config=vision, projection_dim=8)).eval()
    model.save_pretrained(folder)
    (folder / "preprocessor_config.json").write_text(
        json.dumps(
            {
                "image_processor_type": "CLIPImageProcessor",
                "do_resize": True,
                "size": {"shortest_edge": 16},
                "do_center_crop": True,
                "crop_size": {"height": 16, "width": 16},
                "do_normalize": True,
                "image_mean": [0.5, 0.4, 0.3],
                "image_std": [0.2, 0.3, 0.4],
            }
        )
    )
    return folder


def save_tiny_bart(folder: Path, *, seed: int = 0, positions: int = 48) -> Path:
    """A BART whose tokeniser knows single letters and the blank, saved as transformers saves one."""
    import torch
    from transformers import BartConfig, BartForConditionalGeneration

    folder.mkdir(exist_ok=True)
    pieces = ["<s>", "<pad>", "</s>", "<unk>", *LETTERS, "Ġ", "<mask>"]
    write_tokenizer(folder, pieces, "BartTokenizer", bos="<s>", eos="</s>", pad="<pad>", length=positions)
    config = BartConfig(
        vocab_size=len(pieces),
        d_model=16,
        encoder_layers=2,
        decoder_layers=2,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=32,
        decoder_ffn_dim=32,
        max_position_embeddings=positions,
        init_std=0.5,
    )
    torch.manual_seed(seed)
    BartForConditionalGeneration(config).eval().save_pretrained(folder)
    return folder


def write_tokenizer(folder: Path, pieces: list[str], kind: str, *, bos: str, eos: str, pad: str, length: int) -> None:
    vocabulary = {piece: number for number, piece in enumerate(pieces)}
    unknown = "<unk>" if "<unk>" in vocabulary else eos
    settings: dict[str, Any] = {
        "tokenizer_class": kind,
        "model_max_length": length,
        "bos_token": bos,
        "eos_token": eos,
        "pad_token": pad,
        "unk_token": unknown,
    }
    (folder / "vocab.json").write_text(json.dumps(vocabulary, ensure_ascii=False), encoding="utf-8")
    (folder / "merges.txt").write_text("#version: 0.2\n", encoding="utf-8")
    (folder / "tokenizer_config.json").write_text(json.dumps(settings), encoding="utf-8")
