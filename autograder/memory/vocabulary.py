"""The words of code that keeps nothing: each of these gives the same for the same, at any time.

What is in no list is not forbidden; the code that uses it is only not proven. So a word is left
out in any doubt: what reads memory that nobody wrote (`empty`), tells where an object lies (`id`,
`repr`, `str`, a set's order), or sets something for the whole process. The libraries' common random
generators are in: they are put back when a process is used again.
"""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _all(module: str, names: str) -> frozenset[str]:
    return frozenset(f"{module}.{name}" for name in names.split())


BUILTINS = _words(
    """
    abs all any bool callable complex dict divmod enumerate filter float int isinstance issubclass
    iter len list map max min next pow print range reversed round slice sorted sum tuple zip
    """
)
CAUGHT = _words(
    """
    ArithmeticError AssertionError AttributeError FloatingPointError IndexError KeyError
    LookupError NotImplementedError OverflowError StopIteration TypeError ValueError
    ZeroDivisionError
    """
)  # which a lack of memory does not raise
RAISED = CAUGHT | {"Exception", "RuntimeError"}
SPECIAL_METHODS = frozenset({"__init__", "__call__", "__len__", "__getitem__"})

ANY_NAME_OF = frozenset({"typing", "collections.abc", "numpy.typing", "__future__"})

NUMPY = _all(
    "numpy",
    """
    abs absolute add all allclose amax amin any append apply_along_axis arange argmax argmin
    argsort argwhere around array array_equal array_split asarray ascontiguousarray atleast_1d
    atleast_2d atleast_3d average block broadcast_arrays broadcast_shapes broadcast_to c_ ceil
    choose clip column_stack concatenate convolve copy copyto corrcoef cos cosh count_nonzero cov
    cross cumprod cumsum deg2rad diag diag_indices diagflat diagonal diff digitize divide dot
    dsplit dstack e einsum equal exp exp2 expand_dims expm1 eye fill_diagonal flatnonzero flip
    fliplr flipud float_power floor floor_divide fmax fmin full full_like gradient greater
    greater_equal hsplit hstack hypot identity indices inf inner insert interp invert isclose
    isfinite isin isinf isnan isneginf isposinf isscalar ix_ kron lcm less less_equal linspace log
    log10 log1p log2 logaddexp logical_and logical_not logical_or logical_xor logspace matmul
    matrix_transpose max maximum mean median meshgrid min minimum mod moveaxis multiply nan
    nan_to_num nanmax nanmean nanmin nansum ndenumerate ndim ndindex negative newaxis nonzero
    not_equal ones ones_like outer permute_dims pi piecewise power prod ptp put put_along_axis
    putmask quantile r_ ravel real reciprocal remainder repeat reshape roll rollaxis rot90 round
    row_stack s_ searchsorted select shape sign sin sinh size sort split sqrt square squeeze stack
    std subtract sum swapaxes take take_along_axis tan tanh tensordot tile trace transpose tri tril
    tril_indices triu triu_indices true_divide trunc unique unravel_index vander var vdot vecdot
    vectorize vsplit vstack where zeros zeros_like bool bool_ float16 float32 float64 float_
    floating half double single int8 int16 int32 int64 int_ intp integer number uint8 uint16 uint32
    uint64 longdouble finfo iinfo dtype issubdtype result_type can_cast promote_types add.reduce
    add.accumulate add.outer maximum.reduce maximum.accumulate multiply.reduce multiply.outer
    logical_and.reduce logical_or.reduce minimum.reduce subtract.outer linalg.norm linalg.inv
    linalg.det linalg.solve linalg.matrix_rank linalg.matrix_power linalg.multi_dot linalg.qr
    linalg.svd linalg.eig linalg.eigh linalg.LinAlgError linalg.pinv testing.assert_allclose
    testing.assert_array_almost_equal testing.assert_array_equal testing.assert_almost_equal
    testing.assert_equal random.default_rng random.RandomState random.Generator random.PCG64
    random.SeedSequence random.seed random.rand random.randn random.random random.random_sample
    random.normal random.standard_normal random.uniform random.randint random.integers
    random.choice random.permutation random.shuffle random.ranf
    """,
)
MATHS = _all(
    "math",
    """
    acos acosh asin asinh atan atan2 atanh ceil comb copysign cos cosh degrees dist e erf erfc exp
    expm1 fabs factorial floor fmod frexp fsum gamma gcd hypot inf isclose isfinite isinf isnan
    isqrt lcm ldexp lgamma log log10 log1p log2 modf nan perm pi pow prod radians remainder sin
    sinh sqrt tan tanh tau trunc ulp
    """,
)
OTHERS = (
    _all(
        "random",
        """
        Random betavariate choice choices expovariate gauss getrandbits normalvariate randint
        random randrange sample seed shuffle triangular uniform
        """,
    )
    | _all(
        "itertools",
        """
        accumulate chain combinations combinations_with_replacement count cycle dropwhile islice
        pairwise permutations product repeat starmap takewhile zip_longest
        """,
    )
    | _all("functools", "partial reduce")
    | _all("collections", "Counter OrderedDict defaultdict deque")
    | _all("copy", "copy deepcopy")
)
TORCH = _all(
    "torch",
    """
    abs add all allclose amax amin any arange argmax argmin argsort as_tensor baddbmm bernoulli
    bincount bmm bool broadcast_to cat ceil chunk clamp clone concat concatenate cos cosh cumprod
    cumsum diag diagonal div divide dot e einsum eq exp expm1 eye finfo flatten flip float float16
    float32 float64 floor from_numpy full full_like gather ge gt half hstack index_select inf int
    int16 int32 int64 int8 inverse isclose isfinite isinf isnan le linspace log log1p log2
    log_softmax logical_and logical_not logical_or logical_xor logsumexp long lt manual_seed
    masked_fill masked_select matmul max maximum mean meshgrid min minimum mm movedim mul
    multinomial multiply mv nan nan_to_num narrow ne neg nonzero norm normal numel ones ones_like
    outer permute pi pow prod rand rand_like randint randn randn_like randperm relu
    repeat_interleave reshape roll round rsqrt scatter sigmoid sign sin sinh softmax sort split
    sqrt square squeeze stack std sub subtract sum swapaxes swapdims t take tan tanh tensor
    tensordot tile topk tril tril_indices triu triu_indices transpose uint8 unbind unique unsqueeze
    var vstack where zeros zeros_like linalg.norm linalg.vector_norm linalg.matmul special.softmax
    special.log_softmax nn.BCELoss nn.CrossEntropyLoss nn.Dropout nn.ELU nn.Embedding nn.Flatten
    nn.GELU nn.Identity nn.LayerNorm nn.LeakyReLU nn.Linear nn.LogSoftmax nn.MSELoss nn.Module
    nn.ModuleDict nn.ModuleList nn.MultiheadAttention nn.NLLLoss nn.Parameter nn.ParameterDict
    nn.ParameterList nn.RMSNorm nn.ReLU nn.SELU nn.Sequential nn.SiLU nn.Sigmoid nn.Softmax
    nn.Softplus nn.Tanh nn.init.constant_ nn.init.kaiming_normal_ nn.init.kaiming_uniform_
    nn.init.normal_ nn.init.ones_ nn.init.trunc_normal_ nn.init.uniform_ nn.init.xavier_normal_
    nn.init.xavier_uniform_ nn.init.zeros_ nn.functional.cross_entropy nn.functional.dropout
    nn.functional.elu nn.functional.embedding nn.functional.gelu nn.functional.layer_norm
    nn.functional.leaky_relu nn.functional.linear nn.functional.log_softmax nn.functional.mse_loss
    nn.functional.nll_loss nn.functional.normalize nn.functional.one_hot nn.functional.pad
    nn.functional.relu nn.functional.scaled_dot_product_attention nn.functional.sigmoid
    nn.functional.silu nn.functional.softmax nn.functional.softplus nn.functional.tanh
    """,
)
LIBRARY = NUMPY | MATHS | OTHERS | TORCH
FILLED = _all("numpy", "array copy full full_like ones ones_like zeros zeros_like")
IMPORTED_ANYWHERE = _words("collections copy functools itertools math numpy random torch typing")
CONTEXTS = frozenset({"numpy.errstate", "torch.no_grad"})  # only in a `with`, which puts them back
KINDS = frozenset(
    {"numpy.ndarray", "torch.Tensor", "torch.nn.Module"}
)  # as annotations, in isinstance

NOT_ALONE = frozenset({"object", "print", "property", "staticmethod", "str", "super"})
OF_MODULES = _words(
    """
    T_destination add_module apply bfloat16 buffers call_super_init children compile cpu cuda
    double dump_patches extra_repr float get_buffer get_extra_state get_parameter get_submodule
    half ipu load_state_dict modules mtia named_buffers named_children named_modules
    named_parameters register_backward_hook register_forward_hook register_forward_pre_hook
    register_full_backward_hook register_full_backward_pre_hook register_load_state_dict_post_hook
    register_load_state_dict_pre_hook register_module register_state_dict_post_hook
    register_state_dict_pre_hook requires_grad_ set_extra_state set_submodule share_memory
    state_dict to_empty type xpu zero_grad
    """
)  # a module's own attributes that are not read: some tell its names, or memory nobody wrote
OF_SELF = frozenset(
    {"eval", "parameters", "register_buffer", "register_parameter", "train", "training"}
)
ATTRIBUTES = _words(
    """
    T all amax amin any append argmax argmin argsort astype clear clip conj copy count cumprod
    cumsum diagonal dot dtype endswith eps extend fill flat flatten get imag index insert
    is_integer isalpha isdigit item items itemsize join keys lower lstrip mT max mean min nbytes
    ndim nonzero pop popitem prod ptp ravel real remove repeat replace reshape reverse round rstrip
    searchsorted setdefault shape size sort split squeeze startswith std strip sum swapaxes take
    title tiny tolist trace transpose update upper values var choice exponential integers
    multivariate_normal normal permutation permuted binomial poisson rand randint randn random
    random_sample shuffle standard_normal uniform gauss sample abs abs_ add add_ bernoulli_ bias
    bmm bool broadcast_to ceil chunk clamp clamp_ clone contiguous copy_ cos cpu data detach device
    diag dim div div_ double einsum eq eval exp exp_ expand expand_as fill_ fill_diagonal_ flip
    float floor gather ge gt half in_features index_fill index_select int is_contiguous
    is_floating_point isfinite isinf isnan le log log_softmax logical_and logical_not logical_or
    logsumexp long lt masked_fill masked_fill_ masked_scatter masked_select matmul maximum minimum
    mm movedim mul mul_ narrow ne neg new_full new_ones new_tensor new_zeros normal_ num_heads
    numel numpy out_features parameters permute pow relu relu_ repeat_interleave requires_grad
    requires_grad_ rsqrt scatter scatter_ select sigmoid sign sin softmax sqrt square sub sub_ t
    tanh tensor_split to topk train training tril tril_ triu triu_ type_as unbind unflatten unfold
    unique unsqueeze unsqueeze_ view view_as weight where zero_
    """
)
