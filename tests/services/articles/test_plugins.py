"""Plugins: the built-in ones with their URLs, files with errors, Python classes (L-02, L-03)."""

import re
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from pubweave.articles import plugins
from pubweave.articles.cli import articles
from pubweave.articles.iterator.files import ArticleFiles
from pubweave.articles.iterator.order import UnitInMemory
from pubweave.articles.plugins import known_plugins, load_plugin, read_plugin
from pubweave.articles.problems import BadInput
from services.articles.made import both_walks
from shared_data import needs_shared_data, shared_data

BUILT_IN = Path(__file__).resolve().parents[3] / "rules" / "articles"
EXAMPLES = Path(__file__).resolve().parent / "plugins"
NAMES = sorted(path.stem for path in BUILT_IN.glob("*.yaml"))


def test_there_are_plugins_for_fifteen_platforms_and_more() -> None:
    """Each with its example."""
    assert len(NAMES) >= 15
    assert sorted(path.stem for path in EXAMPLES.glob("*.yaml")) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_built_in_plugin_finds_its_articles(name: str) -> None:
    """From a list of URLs in the platform's shapes, exactly the expected articles in order."""
    example = yaml.safe_load((EXAMPLES / f"{name}.yaml").read_text())
    definition = load_plugin(str(BUILT_IN / f"{name}.yaml")).definition(example.get("params", {}))
    expected = [ArticleFiles(each["full_text"], each["roles"]) for each in example["expected"]]

    assert expected == both_walks(example["urls"], definition)


@pytest.mark.parametrize("name", NAMES)
def test_a_built_in_plugin_says_who_it_is(name: str) -> None:
    """Name as the file, a day, a state, a description; its own example is an article."""
    plugin = load_plugin(name)
    assert plugin.file is not None
    site = f"{plugin.file.example.partition('://')[0]}://{_host(plugin.file.example)}/"
    params = {each: site for each in plugin.params if each == "base_url"}
    params |= {"collection": "biology"} if "collection" in plugin.params else {}
    found = both_walks([plugin.file.example], plugin.definition(params))

    assert plugin.file.name == name
    assert plugin.file.checked.isoformat() >= "2026-01-01"
    assert plugin.file.status in ("verified", "unverified")
    assert plugin.file.description
    assert len(found) == 1


def _host(url: str) -> str:
    match = re.match(r"https?://([^/]+)/", url)
    assert match is not None

    return match[1]


# Which recorded pages belong to which plugin, and the roles that the page's own citation tags name.
PAGES = [
    ("acl", "acl__"),
    ("atypon", "pnas__"),
    ("bmc", "springer__s40643"),
    ("bmc-before-2015", "bmc__1471-2148-14-70"),
    ("copernicus", "copernicus__acp"),
    ("frontiers", "frontiers__fpsyg"),
    ("highwire", "ijsem-sgm__"),
    ("highwire", "royalsociety__"),
    ("highwire", "elife__"),
    ("highwire", "oup__10"),
    ("hindawi", "hindawi__"),
    ("iop", "iop__"),
    ("nature", "nature__10.1038_nature12915"),
    ("nature", "nature__10.1038_s41586"),
    ("peerj", "peerj__"),
    ("scielo", "scielo__"),
    ("springerlink", "springer__10"),
    ("wiley", "wiley__"),
]
_ROLE_OF = {"pdf": "FullTextPdfFile", "fulltext_html": "FullTextHtml", "abstract_html": "Abstract"}


def _named_by(page: str) -> dict[str, str]:
    named: dict[str, str] = {}
    for tag in re.findall(r"<meta\b[^>]*>", page):
        name = re.search(r"citation_(pdf|fulltext_html|abstract_html)_url", tag)
        content = re.search(r"content\s*=\s*[\"']?([^\"'> ]+)", tag)
        if name is not None and content is not None:
            named.setdefault(name[1], content[1].replace("&amp;", "&"))

    return named


@needs_shared_data
@pytest.mark.parametrize(("name", "prefix"), PAGES)
def test_the_addresses_that_real_pages_name_are_one_article(name: str, prefix: str) -> None:
    """What a recorded page calls its full text, PDF and abstract comes out as one article with these roles."""
    files = [path for path in sorted(shared_data("publisher-html").iterdir()) if path.name.startswith(prefix)]
    tried = 0
    for path in files:
        named = _named_by(path.read_text(errors="replace"))
        if "pdf" not in named:
            continue
        tried += 1
        host = _host(named.get("fulltext_html") or named.get("abstract_html") or named["pdf"])
        plugin = load_plugin(name)
        scheme = named["pdf"].partition("://")[0]
        params = {"base_url": f"{scheme}://{host}/"}
        if "download_url" in plugin.params:
            params["download_url"] = f"{scheme}://{_host(named['pdf'])}/"
        found = both_walks(sorted(set(named.values())), plugin.definition(params))

        assert len(found) == 1, (path.name, found)
        for kind, url in named.items():
            assert url in found[0].roles.values(), (path.name, kind)
        assert found[0].roles["FullTextPdfFile"] == named["pdf"], path.name

    assert tried >= 1


# ---------------------------------------------------------------------------------------------------------

GOOD = """\
name: own
params: {base_url: Url, volume: Int}
root_template: '"%s%d/", base_url, volume'
aspects:
  - patterns: '/full/(\\d+)$'
    replacements: /full/$1
    roles: FullTextHtml
  - replacements: [/abs/$1]
    roles: [Abstract]
"""


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("name: own", "nam: own", "own.yaml:1:1: object contains unknown field `nam`"),
        (
            "volume: Int",
            "volume: Integer",
            "own.yaml:2:33: params.volume: 'Integer' is no type of parameter (String, Url,",
        ),
        ('%d/", base_url, volume', '%d/", base_url', "own.yaml:3:16: root_template: "),
        ("base_url, volume'", "base_url, year'", "parameter year is not declared"),
        ('"%s%d/", base_url, volume', '"%d%d/", base_url, volume', "%d wants a number"),
        ("'/full/(\\d+)$'", "'/full/(\\d+$'", "own.yaml:5:15: aspects[0].patterns[0]: unclosed group"),
        ("[/abs/$1]", "[/abs/$2]", "own.yaml:8:20: aspects[1].replacements[0]: no group 2"),
        ("[Abstract]", "[]", "own.yaml:9:12: aspects[1].roles: must hold at least one role"),
        ("[Abstract]", "3", "own.yaml:9:12: aspects[1].roles: expected `str | array`, got `int`"),
        ("[Abstract]", "[", "own.yaml:10:1: is not YAML"),
        ("name: own", "name: own\nname: own", "own.yaml:2:1: name: is given twice"),
        ("aspects:", "root: http://h.org/\naspects:", "give root or root_template, not both"),
        ("aspects:", "defaults: {volum: 1}\naspects:", "defaults.volum: is not among the params"),
        ("aspects:", "pattern_template: '\"(%s\", base_url'\naspects:", "pattern_template: unclosed group"),
    ],
)
def test_a_bad_plugin_file_is_refused_with_place_and_reason(old: str, new: str, said: str) -> None:
    """File, line, column, place, reason."""
    assert old in GOOD

    with pytest.raises(BadInput) as refused:
        read_plugin(GOOD.replace(old, new, 1), "own.yaml")

    assert said in refused.value.format_message()


def test_a_good_plugin_file_is_filled_with_parameters() -> None:
    """Roots from templates, aspects as declared."""
    definition = read_plugin(GOOD, "own.yaml").definition({"base_url": "http://h.org/", "volume": "7"})

    assert definition.roots == ("http://h.org/7/",)
    assert [aspect.major for aspect in definition.aspects or ()] == [True, False]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"base_url": "http://h.org/"}, "no root is left, for want of volume"),
        ({"base_url": "http://h.org/", "volume": "x"}, "parameter volume must be a whole number"),
        ({"year": "2000"}, "has no parameter year (it has: base_url, volume)"),
    ],
)
def test_parameters_are_checked(given: dict[str, str], said: str) -> None:
    """What is missing or does not fit is named."""
    with pytest.raises(BadInput) as refused:
        read_plugin(GOOD, "own.yaml").definition(given)

    assert said in refused.value.format_message()


def test_preferred_stands_for_the_manual_s_order() -> None:
    """HTML, PDF, EPUB, XML."""
    plugin = read_plugin(GOOD + "full_text_from_roles: preferred\n", "own.yaml")
    definition = plugin.definition({"base_url": "http://h.org/", "volume": "1"})

    assert definition.full_text_order == ("FullTextHtml", "FullTextPdfFile", "FullTextEpub", "FullTextXml")


MODULE = "services.articles.own_plugin"


@pytest.mark.parametrize("through_file", [True, False])
def test_l02_a_python_class_is_a_plugin(tmp_path: Path, through_file: bool) -> None:
    """Named module:Class under plugin_article_iterator_factory, or straight on the command line."""
    given = f"{MODULE}:Factory"
    if through_file:
        given = str(tmp_path / "own.yaml")
        Path(given).write_text(f"name: own\nplugin_article_iterator_factory: {MODULE}:Factory\n")
    factory = load_plugin(given).factory
    unit = UnitInMemory(["http://h.org/1", "http://h.org/2"], {"base_url": "http://h.org/"})
    assert factory is not None

    assert list(factory.create_article_iterator(unit, "Any")) == [
        ArticleFiles("http://h.org/1", {"Next": "http://h.org/2", "ArticleHandle": 14})
    ]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("nowhere_at_all:Factory", "there is no module nowhere_at_all"),
        (f"{MODULE}.deeper:Factory", "there is no module"),
        (f"{MODULE}:Missing", "has no class Missing"),
        (f"{MODULE}:NOT_A_CLASS", "is not a class"),
        (f"{MODULE}:NotAFactory", "is no article iterator factory"),
        (f"{MODULE}:NeedsMore", "cannot be made without arguments"),
        ("edu.example.Factory", "must be module:Class"),
    ],
)
def test_l02_a_class_that_is_missing_or_wrong_is_a_clear_error(value: str, said: str) -> None:
    """With the place of the key in the file."""
    with pytest.raises(BadInput) as refused:
        read_plugin(f"name: own\nplugin_article_iterator_factory: {value}\n", "own.yaml")

    assert refused.value.format_message().startswith("own.yaml:2:34")
    assert said in refused.value.format_message()


def test_plugins_come_by_entry_point_and_own_folders_win(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A package can bring plugins; PUBWEAVE_ARTICLE_PLUGINS names folders that come first."""
    (tmp_path / "acl.yaml").write_text(GOOD)
    point = EntryPoint("paired", f"{MODULE}:Factory", plugins.ENTRY_POINTS)
    monkeypatch.setenv("PUBWEAVE_ARTICLE_PLUGINS", str(tmp_path))
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: EntryPoints([point]))
    known: dict[str, Any] = known_plugins()

    assert known["acl"] == tmp_path / "acl.yaml"
    assert known["atypon"] == BUILT_IN / "atypon.yaml"
    assert load_plugin("paired").factory is not None


def test_an_unknown_plugin_is_refused_with_what_is_known() -> None:
    """The names that there are."""
    with pytest.raises(BadInput, match=r"no plugin of that name \(known: .*atypon"):
        load_plugin("nope")


def test_the_commands_list_and_check(tmp_path: Path) -> None:
    """`list` names all; `check` says OK or what is wrong, exit status 2."""
    bad = tmp_path / "bad.yaml"
    bad.write_text(GOOD.replace("[/abs/$1]", "[/abs/$2]"))
    listed = CliRunner().invoke(articles, ["list"])
    checked = CliRunner().invoke(articles, ["check", "atypon", str(bad)])

    assert [line.partition("\t")[0] for line in listed.output.splitlines()] == NAMES
    assert checked.exit_code == 2
    assert "OK atypon" in checked.output
    assert f"{bad}:8:20: aspects[1].replacements[0]: no group 2" in checked.output
