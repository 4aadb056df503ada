import { buildSchema } from "graphql";

/** What the connector touches of Centra's Integration API, as its reference has it: https://centra.dev/graphql/ */
export const schema = buildSchema(`
  scalar DateTimeTz

  enum OrderStatus { INCOMPLETE PENDING CONFIRMED PROCESSING COMPLETED ARCHIVED CANCELLED }
  enum OrderSort { number_ASC number_DESC createdAt_ASC createdAt_DESC updatedAt_ASC updatedAt_DESC }
  enum ProductStatus { ACTIVE INACTIVE CANCELLED }
  enum Status { ACTIVE INACTIVE }
  enum StockQuantityType { PHYSICAL AVAILABLE_NOW }

  input StringMatch { equals: String contains: String }
  input DateRange { from: DateTimeTz to: DateTimeTz }
  input OrderFilter {
    id: [String!] number: [Int!] status: [OrderStatus!] createdAt: DateRange updatedAt: DateRange externalId: [String!] isOnHold: Boolean
  }
  input ProductFilter { id: [Int!] name: StringMatch productNumber: StringMatch externalId: [String!] updatedAt: DateRange }
  input ProductVariantFilter { id: [Int!] variantNumber: StringMatch productId: [Int!] externalId: [String!] }

  input MonetaryValueInput { value: Float! currencyIsoCode: String! }
  input OrderInput { id: String number: Int externalId: String }
  input OrderLineInput { id: Int! }
  input PricelistInput { id: Int externalId: String }
  input ProductInput { id: Int externalId: String }
  input ProductSizeInput { id: Int SKU: String EAN: String UPC: String any: String }
  input ProductVariantInput { id: Int externalId: String }
  input SizeChartInput { id: Int externalId: String }
  input WarehouseInput { id: Int externalId: String }

  input ProductCreateInput { name: String! status: ProductStatus! productNumber: String! internalComment: String externalId: String }
  input ProductUpdateInput { name: String status: ProductStatus productNumber: String internalComment: String externalId: String }
  input ProductVariantCreateInput {
    name: String! status: Status! variantNumber: String internalName: String product: ProductInput! sizeChart: SizeChartInput externalId: String
  }
  input ProductVariantPriceInput { productVariant: ProductVariantInput! price: MonetaryValueInput recommendedRetailPrice: MonetaryValueInput }
  input ProductPriceInput {
    product: ProductInput! price: MonetaryValueInput recommendedRetailPrice: MonetaryValueInput
    overrideIndividualVariantPrices: Boolean! individualVariantPrices: [ProductVariantPriceInput!]
  }
  input ProductPricesSetInput { pricelist: PricelistInput! productPrices: [ProductPriceInput!]! }
  input StockSetProductSizeInput { productSize: ProductSizeInput! quantity: Int! unitCost: MonetaryValueInput }
  input StockSetInput {
    warehouse: WarehouseInput! description: String! productSizes: [StockSetProductSizeInput!] stockQuantityType: StockQuantityType!
  }
  input ShipmentLineInput { orderLine: OrderLineInput! quantity: Int! }
  input ShipmentInfoInput {
    carrier: String service: String packagesNumber: Int trackingNumber: String returnTrackingNumber: String
  }
  input ShipmentCreateInput {
    order: OrderInput! lines: [ShipmentLineInput!] isGoodToGo: Boolean isPaid: Boolean createdAt: DateTimeTz shippedAt: DateTimeTz
    shipmentInfo: ShipmentInfoInput sendEmail: Boolean additionalMessage: String allocateDemand: Boolean
  }
  input ShipmentCompleteInput { shippedAt: DateTimeTz shipmentInfo: ShipmentInfoInput sendEmail: Boolean additionalMessage: String }

  type Currency { code: String! }
  type MonetaryValue { value: Float! currency: Currency! }
  type Country { code: String! name: String! }
  type Customer { id: Int! email: String }
  type Address {
    firstName: String lastName: String companyName: String address1: String address2: String city: String zipCode: String country: Country
  }
  type OrderTotals {
    shipping: MonetaryValue handling: MonetaryValue taxAdded: MonetaryValue taxDeducted: MonetaryValue taxIncluded: MonetaryValue
  }
  type Product { id: Int! externalId: String }
  type ProductVariant { id: Int! externalId: String }
  type ProductSize { id: Int! SKU: String }
  type OrderLine {
    id: Int! quantity: Int! productName: String taxPercent: Float! productSize: ProductSize
    unitPrice(includingTax: Boolean! = true): MonetaryValue! lineValue(includingTax: Boolean! = true): MonetaryValue!
  }
  type ShipmentLine { id: Int! quantity: Int! orderLine: OrderLine! }
  type Shipment {
    id: Int! number: String! isShipped: Boolean! isGoodToGo: Boolean! shippedAt: DateTimeTz trackingNumber: String lines: [ShipmentLine!]!
  }
  interface Order {
    id: String! number: Int! status: OrderStatus! isOnHold: Boolean! grandTotal(includingTax: Boolean! = true): MonetaryValue!
    createdAt: DateTimeTz! updatedAt: DateTimeTz! totals: OrderTotals billingAddress: Address shippingAddress: Address
    lines: [OrderLine!]! shipments: [Shipment!]!
  }
  type DirectToConsumerOrder implements Order {
    id: String! number: Int! status: OrderStatus! isOnHold: Boolean! grandTotal(includingTax: Boolean! = true): MonetaryValue!
    createdAt: DateTimeTz! updatedAt: DateTimeTz! totals: OrderTotals billingAddress: Address shippingAddress: Address
    lines: [OrderLine!]! shipments: [Shipment!]! customer: Customer
  }

  type UserError { message: String! path: [String!] }
  type ProductCreatePayload { product: Product userErrors: [UserError!]! }
  type ProductUpdatePayload { product: Product userErrors: [UserError!]! }
  type ProductVariantCreatePayload { productVariant: ProductVariant userErrors: [UserError!]! }
  type PricesSetPayload { userErrors: [UserError!]! }
  type StockSetPayload { userErrors: [UserError!]! }
  type ShipmentCreatePayload { shipment: Shipment userErrors: [UserError!]! }
  type ShipmentCompletePayload { shipment: Shipment userErrors: [UserError!]! }

  type Query {
    orders(where: OrderFilter, sort: [OrderSort!], limit: Int, page: Int): [Order!]!
    products(where: ProductFilter, limit: Int, page: Int): [Product!]!
    productVariants(where: ProductVariantFilter, limit: Int, page: Int): [ProductVariant!]!
  }
  type Mutation {
    createProduct(input: ProductCreateInput!): ProductCreatePayload!
    updateProduct(id: Int!, input: ProductUpdateInput!): ProductUpdatePayload!
    createProductVariant(input: ProductVariantCreateInput!): ProductVariantCreatePayload!
    setPrices(input: ProductPricesSetInput!): PricesSetPayload!
    setStock(input: StockSetInput!): StockSetPayload!
    createShipment(input: ShipmentCreateInput!): ShipmentCreatePayload!
    completeShipment(id: Int!, input: ShipmentCompleteInput!): ShipmentCompletePayload!
  }
`);
