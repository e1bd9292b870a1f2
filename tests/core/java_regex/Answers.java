import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** Reads "flags base64(pattern) base64(text) base64(replacement)" lines, says what java.util.regex makes of each. */
public class Answers {
  static String read(String base64) {
    return new String(Base64.getDecoder().decode(base64), StandardCharsets.UTF_8);
  }

  static String written(String text) {
    return text == null ? "~" : "=" + Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  static int points(String text, int index) {
    return text.codePointCount(0, index);
  }

  static String replaced(Matcher matcher, String replacement, boolean all) {
    try {
      return written(all ? matcher.replaceAll(replacement) : matcher.replaceFirst(replacement));
    } catch (IllegalArgumentException | IndexOutOfBoundsException error) {
      return "!";
    }
  }

  static String answer(String pattern, int flags, String text, String replacement) {
    Pattern compiled;
    try {
      compiled = Pattern.compile(pattern, flags);
    } catch (IllegalArgumentException error) {
      return "error";
    }
    StringBuilder out = new StringBuilder("ok");
    Matcher matcher = compiled.matcher(text);
    out.append(' ').append(matcher.groupCount()).append(' ');
    while (matcher.find()) {
      out.append('[').append(points(text, matcher.start())).append(',').append(points(text, matcher.end()));
      for (int group = 1; group <= matcher.groupCount(); group++) {
        out.append(',').append(written(matcher.group(group)));
      }
      out.append(']');
    }
    matcher.reset();
    out.append(' ').append(matcher.lookingAt() ? points(text, matcher.end()) : -1);
    matcher.reset();
    boolean begins = matcher.lookingAt() || matcher.hitEnd();
    out.append(' ').append(begins);
    matcher.reset();
    out.append(' ').append(matcher.matches());
    out.append(' ').append(replaced(compiled.matcher(text), replacement, false));
    out.append(' ').append(replaced(compiled.matcher(text), replacement, true));
    out.append(" split");
    for (String piece : compiled.split(text)) {
      out.append(written(piece)).append(';');
    }
    return out.toString();
  }

  public static void main(String[] args) throws Exception {
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    PrintStream out = new PrintStream(System.out, false, "UTF-8");
    String line;
    while ((line = lines.readLine()) != null) {
      String[] parts = line.split(" ", -1);
      out.println(answer(read(parts[1]), Integer.parseInt(parts[0]), read(parts[2]), read(parts[3])));
    }
    out.flush();
  }
}
