import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.jsoup.nodes.PseudoTextElement;

/**
 * Prints what jsoup selects: one JSON object, page -> selector -> answers ("tag path" or "text …"), or null where
 * jsoup refuses the selector. Arguments: a file with a selector a line, then the pages.
 */
public class Oracle {
    public static void main(String[] arguments) throws Exception {
        List<String> selectors = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of(arguments[0]))) {
            if (!line.isBlank() && !line.startsWith("// ")) selectors.add(line);
        }
        List<String> pages = new ArrayList<>();
        for (int i = 1; i < arguments.length; i++) {
            Path file = Path.of(arguments[i]);
            String html = Files.readString(file, StandardCharsets.UTF_8);
            List<String> rows = new ArrayList<>();
            for (String selector : selectors) rows.add("  " + quote(selector) + ": " + answer(html, selector));
            rows.add("  \"// texts\": " + texts(html));
            pages.add(" " + quote(file.getFileName().toString()) + ": {\n" + String.join(",\n", rows) + "\n }");
        }
        System.out.write(("{\n" + String.join(",\n", pages) + "\n}\n").getBytes(StandardCharsets.UTF_8));
        System.out.flush();
    }

    static String answer(String html, String selector) {
        Document page = Jsoup.parse(html, "https://example.org/dir/page");
        List<String> found = new ArrayList<>();
        try {
            for (Element element : page.select(selector)) found.add(quote(name(element)));
        } catch (RuntimeException refused) {
            return "null";
        }
        return "[" + String.join(", ", found) + "]";
    }

    static String texts(String html) {
        List<String> found = new ArrayList<>();
        for (Element element : Jsoup.parse(html).select("[data-text]")) {
            found.add("{\"text\": " + quote(element.text()) + ", \"own\": " + quote(element.ownText())
                + ", \"whole\": " + quote(element.wholeText()) + "}");
        }
        return "[" + String.join(", ", found) + "]";
    }

    static String name(Element element) {
        if (element instanceof Document) return "document";
        if (element instanceof PseudoTextElement) return "text " + element.text();
        List<Integer> path = new ArrayList<>();
        for (Element e = element; e.parent() != null; e = e.parent()) {
            int place = 0;
            for (Element s = e.previousElementSibling(); s != null; s = s.previousElementSibling())
                if (!(s instanceof PseudoTextElement)) place++;
            path.add(place);
        }
        Collections.reverse(path);
        return element.normalName() + " " + path.toString().replace(" ", "");
    }

    static String quote(String text) {
        StringBuilder out = new StringBuilder("\"");
        for (char c : text.toCharArray()) {
            if (c == '"' || c == '\\') out.append('\\').append(c);
            else if (c < 32 || c > 126) out.append(String.format("\\u%04x", (int) c));
            else out.append(c);
        }
        return out.append('"').toString();
    }
}
