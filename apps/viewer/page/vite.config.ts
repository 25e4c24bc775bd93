// How the page is built: everything into one dist/index.html, so that the server can carry it as one string
// and an exported result is one file that opens without a server.
import { defineConfig, type Plugin } from "vite";

// Puts the script and the style into the page. The script goes to the end of the body, behind the place of the
// embedded data, so that an export only has to replace a comment in <head>.
function onePage(): Plugin {
  return {
    name: "pliant-one-page",
    enforce: "post",
    generateBundle(_options, bundle) {
      const page = bundle["index.html"];
      if (!page || page.type !== "asset") throw new Error("the build gave no index.html");
      let html = String(page.source);
      for (const [name, item] of Object.entries(bundle)) {
        if (item.type === "chunk") {
          html = html.replace(/<script type="module"[^>]*><\/script>\s*/, "");
          // A closing tag inside a string of the script would end it early.
          const code = item.code.replace(/<\/script/gi, "<\\/script");
          html = html.replace("</body>", () => `<script type="module">${code}</script>\n</body>`);
        } else if (name.endsWith(".css")) {
          html = html.replace(/<link rel="stylesheet"[^>]*>/, () => `<style>${String(item.source)}</style>`);
        } else {
          continue;
        }
        delete bundle[name];
      }
      if (html.split("<!--PLIANT_DATA-->").length !== 2) throw new Error("index.html must have one place for embedded data");
      if (/<(script|link)[^>]*(src|href)="(?!data:)[^"]/.test(html.split("<script type=\"module\">")[0]!)) {
        throw new Error("index.html still refers to another file");
      }
      page.source = html;
    },
  };
}

export default defineConfig({
  plugins: [onePage()],
  build: { target: "es2021", modulePreload: false, cssCodeSplit: false, assetsInlineLimit: 0, chunkSizeWarningLimit: 2000 },
  // During development the data comes from the mock server (npm run mock) or from `pliant view`.
  server: { proxy: { "/api": "http://127.0.0.1:8123" } },
});
