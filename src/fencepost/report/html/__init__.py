"""One self-contained HTML page: numbers, where they come from, and the texts themselves."""

from fencepost.report.html.page import Figure as Figure
from fencepost.report.html.page import Lines as Lines
from fencepost.report.html.page import Page as Page
from fencepost.report.html.page import Section as Section
from fencepost.report.html.page import Sheet as Sheet
from fencepost.report.html.page import render as render
from fencepost.report.html.page import write_html as write_html
