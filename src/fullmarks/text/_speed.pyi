from array import array

def squad_rows(
    predictions: list[str],
    references: list[list[str]],
    *,
    both_empty: float,
    drop_empty_references: bool,
) -> array[float]: ...
def squad_each_reference(
    prediction: str, references: list[str], *, both_empty: float
) -> list[tuple[float, float]]: ...
def bleu_rows(predictions: list[str], references: list[list[str]], *, max_order: int) -> array[float]: ...
def fold(values: array[float], width: int) -> list[float]: ...
