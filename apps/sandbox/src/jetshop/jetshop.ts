import { type Personality, type Stage, isWrong } from "../personality.ts";
import { envelope, operationOf, textIn } from "../soap.ts";

const soap = "http://www.w3.org/2003/05/soap-envelope";

function product(sku: string, word: string): string {
  return `<Product_AddUpdateResponse xmlns="WebServiceProvider"><Product_AddUpdateResult><ProductResult><ArticleNumber>${sku}</ArticleNumber><StatusMainProductCreateDelete>${word}</StatusMainProductCreateDelete></ProductResult></Product_AddUpdateResult></Product_AddUpdateResponse>`;
}

/** Jetshop: Basic and a shop id, a word of status for each row. */
export function jetshop({ shelves }: Stage): Personality {
  return {
    answer({ body, headers }) {
      const secret = Buffer.from((headers["authorization"] ?? "").replace(/^Basic /, ""), "base64").toString();
      if (isWrong(secret) || textIn(body, "ShopId") === "") return { status: 401, body: "Unauthorized" };
      const [operation, sku] = [operationOf(body), textIn(body, "ArticleNumber")];
      if (operation === "Product_AddUpdate") {
        const isNew = !shelves.of("products").has(sku);
        shelves.merge("products", sku, { body });
        return envelope(soap, product(sku, isNew ? "SuccessNew" : "SuccessUpdate"));
      }
      if (operation === "PriceList_UpdateArticleIncVAT") shelves.merge("prices", sku, { body });
      return envelope(soap, `<${operation}Response xmlns="WebServiceProvider"/>`);
    },
    throttled: () => ({ status: 503, body: "The service is too busy" }),
    refusedSoftly: ({ body }) => envelope(soap, product(textIn(body, "ArticleNumber"), "FailedInvalidCulture")),
  };
}
