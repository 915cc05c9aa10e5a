"""Names of Python and NumPy that keep nothing: the same numbers in give the same numbers out.

Code that uses other names is only not proven to be pure. So a name is left out in any doubt: if it
reads memory that nobody wrote, tells where an object lies (`id`, `str`, a set's order), takes a
text that it looks at or a function that it keeps, or sets something for later. NumPy's common
random generator is in: it is put back when a process is used again. So is `empty`: a worker fills
what it makes.
"""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _all(module: str, names: str) -> frozenset[str]:
    return frozenset(f"{module}.{name}" for name in names.split())


BUILTINS = _words(
    """
    abs all any bool divmod enumerate filter float int isinstance len list map max min pow print
    range reversed round slice sorted sum tuple zip
    """
)
RAISED = _words(
    "AssertionError IndexError KeyError NotImplementedError TypeError ValueError Exception"
)
TYPES = _words("bool complex dict float int list str tuple")
NUMBERS = _all(
    "numpy",
    """
    bool bool_ double float16 float32 float64 half int8 int16 int32 int64 int_ intp single uint8
    uint16 uint32 uint64
    """,
)
KINDS = NUMBERS | {"numpy.ndarray", "numpy.floating", "numpy.integer", "numpy.number"}
ANNOTATIONS = ("typing.", "collections.abc.", "numpy.typing.")

LIBRARY = (
    _all(
        "numpy",
        """
        abs absolute add all allclose amax amin any append apply_along_axis arange argmax argmin
        argsort argwhere around array array_equal array_split asarray average broadcast_to ceil
        choose clip column_stack copy concatenate cos corrcoef count_nonzero cov cumprod cumsum diag
        diagflat diagonal diff divide dot dstack e einsum empty empty_like equal exp exp2
        expand_dims expm1 eye fill_diagonal flatnonzero flip fliplr flipud floor floor_divide full
        full_like greater greater_equal hsplit hstack identity indices inf inner isclose isfinite
        isin isinf isnan isneginf isposinf kron less less_equal linspace log log10 log1p log2
        logaddexp logical_and logical_not logical_or logical_xor matmul matrix_transpose max maximum
        mean median meshgrid min minimum mod moveaxis multiply nan nan_to_num nanmax nanmean nanmin
        nanstd nansum ndim ndindex negative newaxis nonzero not_equal ones ones_like outer
        permute_dims pi power prod ptp put_along_axis putmask ravel repeat reshape roll round shape
        sign sin size sort split sqrt square squeeze stack std subtract sum swapaxes take
        take_along_axis tanh tensordot tile trace transpose tri tril tril_indices triu triu_indices
        true_divide unique unravel_index var vdot vecdot vsplit vstack where zeros zeros_like
        add.reduce maximum.reduce multiply.reduce logical_and.reduce logical_or.reduce finfo
        linalg.norm linalg.inv linalg.det linalg.solve testing.assert_allclose
        testing.assert_array_almost_equal testing.assert_array_equal testing.assert_almost_equal
        random.default_rng random.RandomState random.seed random.rand random.randn random.random
        random.normal random.standard_normal random.uniform random.randint random.choice
        random.permutation random.shuffle
        """,
    )
    | _all(
        "math",
        """
        ceil comb copysign cos e erf exp expm1 fabs factorial floor fmod fsum gcd hypot inf isclose
        isfinite isinf isnan isqrt log log10 log1p log2 nan perm pi pow prod sin sqrt tan tanh
        """,
    )
    | _all("itertools", "combinations permutations product")
    | NUMBERS
)
ATTRIBUTES = _words(
    """
    T all any append argmax argmin argsort astype clip conj copy cumsum diagonal dot dtype eps
    extend fill flatten index insert item mT max mean min ndim nonzero pop prod ptp ravel real
    remove repeat reshape reverse round shape size sort squeeze std sum swapaxes take tiny tolist
    trace transpose var binomial choice integers normal permutation permuted rand randint randn
    random random_sample shuffle standard_normal uniform
    """
)
FILLED = _all("numpy", "array copy full full_like ones ones_like zeros zeros_like")

# Texts say how something is to be done, and are kept nowhere: for each keyword, these.
NUMBERS_AS_TEXTS = _words(
    "bool d double f float float32 float64 int int32 int64 f4 f8 i4 i8 single"
)
ERRORS = _words("ignore warn raise")
HOW = {
    "indexing": _words("ij xy"),
    "ord": _words("fro nuc"),
    "order": _words("C F"),
    "side": _words("left right"),
}
