"""Every row of the specification's chapter on article iterators has a test; this is the table."""

import ast
from pathlib import Path

import pytest

ROWS = {
    "L-01": "test_run::test_one_json_line_an_article",
    "L-02": "test_plugins::test_l02_a_class_that_is_missing_or_wrong_is_a_clear_error",
    "L-03": "test_manual_rows::test_l03_a_unit_can_also_be_walked_by_hand",
    "L-10": "test_manual_rows::test_l10_l13_article_files_hold_urls_and_any_objects",
    "L-11": "test_manual_rows::test_l11_the_fourteen_roles_have_their_values",
    "L-12": "test_plugins::test_preferred_stands_for_the_manual_s_order",
    "L-13": "test_manual_rows::test_l10_l13_article_files_hold_urls_and_any_objects",
    "L-14": "test_manual_rows::test_l14_article_files_as_json",
    "L-20": "test_field_points::test_s13_without_roots_the_whole_unit_is_walked",
    "L-21": "test_field_points::test_s10_s11_a_root_is_a_node_with_or_without_its_slash",
    "L-22": "test_manual_rows::test_l22_roots_by_template_and_l26_values_quoted",
    "L-23": "test_field_points::test_s16_with_include_exclude_is_ignored",
    "L-24": "test_field_points::test_s17_s33_the_general_pattern_is_searched_anywhere",
    "L-25": "test_field_points::test_several_media_types_may_be_wanted",
    "L-26": "test_templates::test_a_pattern_template_quotes_values",
    "L-27": "test_manual_rows::test_l27_a_value_and_its_template_exclude_each_other",
    "L-28": "test_manual_rows::test_l28_the_acceptance_test_can_be_overridden",
    "L-29": "test_manual_rows::test_l29_a_url_can_give_none_one_or_many_articles",
    "L-30": "test_manual_rows::test_l30_an_error_costs_one_url",
    "L-40": "test_field_points::test_s01_the_earlier_aspect_owns_the_article",
    "L-41": "test_manual_rows::test_l41_l47_set_spec_in_its_variants",
    "L-42": "test_manual_rows::test_l42_an_aspect_can_be_declared_in_pieces",
    "L-43": "test_field_points::test_s19_no_owner_no_article",
    "L-44": "test_manual_rows::test_l51_html_and_pdf_are_one_article_with_html_as_full_text",
    "L-45": "test_case_files::test_the_recorded_cases_pass_in_full_and_in_order",
    "L-46": "test_manual_rows::test_l46_an_article_comes_out_once_however_many_of_its_urls_are_walked",
    "L-47": "test_field_points::test_s23_s24_counting_fills_nothing",
    "L-48": "test_field_points::test_s25_a_group_without_part_gives_nothing",
    "L-49": "test_manual_rows::test_l49_nothing_before_unit_and_spec",
    "L-50": "test_manual_rows::test_l51_pdf_alone_is_an_article",
    "L-51": "test_manual_rows::test_l51_html_and_pdf_are_one_article_with_html_as_full_text",
    "L-52": "test_run::test_parameters_can_be_given_in_several_ways",
    "L-53": "test_sink::test_links_have_the_types_that_the_manual_reserves",
}


@pytest.mark.parametrize(("row", "test"), ROWS.items())
def test_the_row_has_its_test(row: str, test: str) -> None:
    """The named test is there."""
    module, _, name = test.partition("::")
    source = (Path(__file__).parent / f"{module}.py").read_text()
    functions = {node.name for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)}

    assert name in functions, row
