/* Whether a text is XML, for the tests of what is written as XML or so that it can be read as
 * XML. */
#ifndef TESTS_XML_H
#define TESTS_XML_H

/* Fail the test unless the elements are nested and closed, the values of attributes stand in
 * quotes, every & begins an entity, no < stands in a value, no ]]> in a text, and there is no
 * character that XML does not know; a CDATA section holds what it likes. The text begins behind an
 * XML declaration or a <!DOCTYPE ...>. */
void expect_xml(const char *text);

#endif
