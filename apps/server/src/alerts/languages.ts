import type { AlertKind, EntityType } from "@crossdock/contract";
import * as endings from "./ending-texts.ts";

/** What mails about alerts say, in the languages of the console. */
export type Language = {
  /** Subjects: one alert, one that is over, several changes. */
  fired: string;
  over: string;
  many: string;
  since: string;
  overSince: string;
  open: string;
  why: string;
  testSubject: string;
  testText: string;
  titles: Record<AlertKind, string>;
  /** Without a noun that a number would bend: no language's plurals are known here. */
  sentences: Record<AlertKind, string>;
  /** In their place where the target answers, but with nothing that is of use. */
  answers: Record<"circuit-open" | "outage", string>;
  entities: Record<EntityType, string>;
  /** What a bulk operation is called. */
  job: string;
  endings: endings.EndingTexts;
};

const en: Language = {
  fired: "Alert: {title} ({tenant})",
  over: "Over: {title} ({tenant})",
  many: "{count} alerts have changed ({tenant})",
  since: "Since {time}",
  overSince: "Over since {time}",
  open: "In the console:",
  why: "You get this mail because an admin named you in an alert channel.",
  testSubject: "Test: alerts of {tenant} reach you",
  testText: "This is only a test. Alerts of {tenant} will come to this address.",
  titles: {
    "dead-letters": "Deadletters",
    "dead-letters-rising": "Deadletters are rising",
    "queue-age": "Messages wait too long",
    "circuit-open": "A target doesn’t answer or fails",
    "job-failed": "A job failed",
    silence: "Silence",
    "order-unshipped": "Order not shipped",
    "stock-stale": "Stock figures are old",
    outage: "Outage over several tenants",
  },
  sentences: {
    "dead-letters": "{name}, deadletters that wait for a person: {value} (limit {limit}).",
    "dead-letters-rising": "{name}, messages that became deadletters lately: {value} (limit {limit}).",
    "queue-age": "{name}: the oldest message has waited for {value} min (limit {limit} min).",
    "circuit-open": "{name} doesn’t answer. Integration points: {points}. Messages held back: {waiting}.",
    "job-failed": "{name} failed. {fault}",
    silence: "{subtenant}: no {entity} for {value} min (usual {usual} an hour).",
    "order-unshipped": "{subtenant}: order {name} has waited for its shipment for {value} h; open orders: {waiting}.",
    "stock-stale": "{subtenant}: the last stock figures came {value} h ago.",
    outage: "{name} doesn’t answer. Tenants: {tenants}. Messages held back: {waiting}.",
  },
  answers: {
    "circuit-open": "{name} answers with {answer}. Integration points: {points}. Messages held back: {waiting}.",
    outage: "{name} answers with {answer}. Tenants: {tenants}. Messages held back: {waiting}.",
  },
  entities: { item: "items", price: "prices", stock: "stock figures", order: "orders", shipment: "shipments", customer: "customers" },
  job: "Job {id}",
  endings: endings.en,
};

const fr: Language = {
  fired: "Alerte : {title} ({tenant})",
  over: "Terminé : {title} ({tenant})",
  many: "{count} alertes ont changé ({tenant})",
  since: "Depuis le {time}",
  overSince: "Terminé depuis le {time}",
  open: "Dans la console :",
  why: "Vous recevez ce message parce qu’un administrateur vous a inscrit dans un canal d’alertes.",
  testSubject: "Test : les alertes de {tenant} vous parviennent",
  testText: "Ceci n’est qu’un test. Les alertes de {tenant} arriveront à cette adresse.",
  titles: {
    "dead-letters": "Messages en échec",
    "dead-letters-rising": "Les messages en échec augmentent",
    "queue-age": "Des messages attendent longtemps",
    "circuit-open": "Une cible ne répond pas ou échoue",
    "job-failed": "Une tâche a échoué",
    silence: "Silence",
    "order-unshipped": "Commande non expédiée",
    "stock-stale": "Stock non actualisé",
    outage: "Panne chez plusieurs locataires",
  },
  sentences: {
    "dead-letters": "{name}, messages en échec qui attendent quelqu’un : {value} (limite {limit}).",
    "dead-letters-rising": "{name}, messages passés en échec récemment : {value} (limite {limit}).",
    "queue-age": "{name} : le plus ancien message attend depuis {value} min (limite {limit} min).",
    "circuit-open": "{name} ne répond pas. Points d’intégration : {points}. Messages retenus : {waiting}.",
    "job-failed": "{name} a échoué. {fault}",
    silence: "{subtenant} : rien ({entity}) depuis {value} min (d’habitude {usual} par heure).",
    "order-unshipped": "{subtenant} : la commande {name} attend son expédition depuis {value} h ; commandes ouvertes : {waiting}.",
    "stock-stale": "{subtenant} : les derniers niveaux de stock sont arrivés il y a {value} h.",
    outage: "{name} ne répond pas. Locataires : {tenants}. Messages retenus : {waiting}.",
  },
  answers: {
    "circuit-open": "{name} répond par {answer}. Points d’intégration : {points}. Messages retenus : {waiting}.",
    outage: "{name} répond par {answer}. Locataires : {tenants}. Messages retenus : {waiting}.",
  },
  entities: {
    item: "articles",
    price: "prix",
    stock: "niveaux de stock",
    order: "commandes",
    shipment: "expéditions",
    customer: "clients",
  },
  job: "Tâche {id}",
  endings: endings.fr,
};

const it: Language = {
  fired: "Allarme: {title} ({tenant})",
  over: "Finito: {title} ({tenant})",
  many: "{count} allarmi sono cambiati ({tenant})",
  since: "Dal {time}",
  overSince: "Finito dal {time}",
  open: "Nella console:",
  why: "Ricevi questo messaggio perché un amministratore ti ha inserito in un canale di allarmi.",
  testSubject: "Prova: gli allarmi di {tenant} ti arrivano",
  testText: "È solo una prova. Gli allarmi di {tenant} arriveranno a questo indirizzo.",
  titles: {
    "dead-letters": "Messaggi non recapitabili",
    "dead-letters-rising": "I messaggi non recapitabili aumentano",
    "queue-age": "Messaggi in attesa da tempo",
    "circuit-open": "Una destinazione non risponde o dà errore",
    "job-failed": "Un lavoro è fallito",
    silence: "Silenzio",
    "order-unshipped": "Ordine non spedito",
    "stock-stale": "Giacenze non aggiornate",
    outage: "Interruzione per più tenant",
  },
  sentences: {
    "dead-letters": "{name}, messaggi non recapitabili che attendono una persona: {value} (limite {limit}).",
    "dead-letters-rising": "{name}, messaggi diventati non recapitabili di recente: {value} (limite {limit}).",
    "queue-age": "{name}: il messaggio più vecchio attende da {value} min (limite {limit} min).",
    "circuit-open": "{name} non risponde. Punti di integrazione: {points}. Messaggi trattenuti: {waiting}.",
    "job-failed": "{name} è fallito. {fault}",
    silence: "{subtenant}: niente ({entity}) da {value} min (di solito {usual} all’ora).",
    "order-unshipped": "{subtenant}: l’ordine {name} attende la spedizione da {value} h; ordini aperti: {waiting}.",
    "stock-stale": "{subtenant}: le ultime giacenze sono arrivate {value} h fa.",
    outage: "{name} non risponde. Tenant: {tenants}. Messaggi trattenuti: {waiting}.",
  },
  answers: {
    "circuit-open": "{name} risponde con {answer}. Punti di integrazione: {points}. Messaggi trattenuti: {waiting}.",
    outage: "{name} risponde con {answer}. Tenant: {tenants}. Messaggi trattenuti: {waiting}.",
  },
  entities: { item: "articoli", price: "prezzi", stock: "dati di giacenza", order: "ordini", shipment: "spedizioni", customer: "clienti" },
  job: "Lavoro {id}",
  endings: endings.it,
};

const es: Language = {
  fired: "Alerta: {title} ({tenant})",
  over: "Terminado: {title} ({tenant})",
  many: "Han cambiado {count} alertas ({tenant})",
  since: "Desde el {time}",
  overSince: "Terminado desde el {time}",
  open: "En la consola:",
  why: "Recibe este mensaje porque un administrador le incluyó en un canal de alertas.",
  testSubject: "Prueba: las alertas de {tenant} le llegan",
  testText: "Esto es solo una prueba. Las alertas de {tenant} llegarán a esta dirección.",
  titles: {
    "dead-letters": "Mensajes fallidos",
    "dead-letters-rising": "Aumentan los mensajes fallidos",
    "queue-age": "Mensajes que esperan mucho",
    "circuit-open": "Un destino no responde o falla",
    "job-failed": "Ha fallado un trabajo",
    silence: "Silencio",
    "order-unshipped": "Pedido sin enviar",
    "stock-stale": "Existencias sin actualizar",
    outage: "Interrupción en varios inquilinos",
  },
  sentences: {
    "dead-letters": "{name}, mensajes fallidos que esperan a una persona: {value} (límite {limit}).",
    "dead-letters-rising": "{name}, mensajes que han fallado hace poco: {value} (límite {limit}).",
    "queue-age": "{name}: el mensaje más antiguo espera desde hace {value} min (límite {limit} min).",
    "circuit-open": "{name} no responde. Puntos de integración: {points}. Mensajes retenidos: {waiting}.",
    "job-failed": "{name} ha fallado. {fault}",
    silence: "{subtenant}: nada ({entity}) desde hace {value} min (lo habitual: {usual} por hora).",
    "order-unshipped": "{subtenant}: el pedido {name} espera su envío desde hace {value} h; pedidos abiertos: {waiting}.",
    "stock-stale": "{subtenant}: los últimos datos de existencias llegaron hace {value} h.",
    outage: "{name} no responde. Inquilinos: {tenants}. Mensajes retenidos: {waiting}.",
  },
  answers: {
    "circuit-open": "{name} responde con {answer}. Puntos de integración: {points}. Mensajes retenidos: {waiting}.",
    outage: "{name} responde con {answer}. Inquilinos: {tenants}. Mensajes retenidos: {waiting}.",
  },
  entities: {
    item: "artículos",
    price: "precios",
    stock: "datos de existencias",
    order: "pedidos",
    shipment: "envíos",
    customer: "clientes",
  },
  job: "Trabajo {id}",
  endings: endings.es,
};

const zh: Language = {
  fired: "告警：{title}（{tenant}）",
  over: "已恢复：{title}（{tenant}）",
  many: "{count} 个告警有变化（{tenant}）",
  since: "开始于 {time}",
  overSince: "恢复于 {time}",
  open: "在控制台查看：",
  why: "您收到此邮件，是因为管理员将您加入了告警渠道。",
  testSubject: "测试：{tenant} 的告警可以送达",
  testText: "这只是一次测试。{tenant} 的告警将发送到此地址。",
  titles: {
    "dead-letters": "死信",
    "dead-letters-rising": "死信增多",
    "queue-age": "消息等待过久",
    "circuit-open": "目标无响应或出错",
    "job-failed": "作业失败",
    silence: "静默",
    "order-unshipped": "订单未发货",
    "stock-stale": "库存数据陈旧",
    outage: "多个租户的中断",
  },
  sentences: {
    "dead-letters": "{name}：{value} 条死信等待处理（上限 {limit}）。",
    "dead-letters-rising": "{name}：近期有 {value} 条消息成为死信（上限 {limit}）。",
    "queue-age": "{name}：最早的消息已等待 {value} 分钟（上限 {limit}）。",
    "circuit-open": "{name} 无响应。集成点：{points}。暂留消息：{waiting}。",
    "job-failed": "{name} 失败。{fault}",
    silence: "{subtenant}：{value} 分钟没有{entity}（平时每小时 {usual}）。",
    "order-unshipped": "{subtenant}：订单 {name} 已等待发货 {value} 小时；未完成订单：{waiting}。",
    "stock-stale": "{subtenant}：最近的库存数据是 {value} 小时前收到的。",
    outage: "{name} 无响应。租户：{tenants}。暂留消息：{waiting}。",
  },
  answers: {
    "circuit-open": "{name} 的响应为 {answer}。集成点：{points}。暂留消息：{waiting}。",
    outage: "{name} 的响应为 {answer}。租户：{tenants}。暂留消息：{waiting}。",
  },
  entities: { item: "商品", price: "价格", stock: "库存数据", order: "订单", shipment: "发货", customer: "客户" },
  job: "作业 {id}",
  endings: endings.zh,
};

const ar: Language = {
  fired: "تنبيه: {title} ({tenant})",
  over: "انتهى: {title} ({tenant})",
  many: "تغيّر {count} من التنبيهات ({tenant})",
  since: "منذ {time}",
  overSince: "انتهى منذ {time}",
  open: "في لوحة التحكم:",
  why: "تصلك هذه الرسالة لأن مسؤولًا أضافك إلى قناة تنبيهات.",
  testSubject: "اختبار: تنبيهات {tenant} تصل إليك",
  testText: "هذا مجرد اختبار. ستصل تنبيهات {tenant} إلى هذا العنوان.",
  titles: {
    "dead-letters": "الرسائل الميتة",
    "dead-letters-rising": "الرسائل الميتة تزداد",
    "queue-age": "رسائل تنتظر طويلًا",
    "circuit-open": "هدف لا يستجيب أو يُخفق",
    "job-failed": "فشلت مهمة",
    silence: "صمت",
    "order-unshipped": "طلب لم يُشحن",
    "stock-stale": "أرقام مخزون قديمة",
    outage: "انقطاع لدى عدة مستأجرين",
  },
  sentences: {
    "dead-letters": "{name}، الرسائل الميتة التي تنتظر شخصًا: {value} (الحد {limit}).",
    "dead-letters-rising": "{name}، الرسائل التي أصبحت ميتة مؤخرًا: {value} (الحد {limit}).",
    "queue-age": "{name}: أقدم رسالة تنتظر منذ {value} د (الحد {limit} د).",
    "circuit-open": "{name} لا يستجيب. نقاط التكامل: {points}. الرسائل المحتجزة: {waiting}.",
    "job-failed": "فشل {name}. {fault}",
    silence: "{subtenant}: لا {entity} منذ {value} د (المعتاد {usual} في الساعة).",
    "order-unshipped": "{subtenant}: الطلب {name} ينتظر الشحن منذ {value} س؛ الطلبات المفتوحة: {waiting}.",
    "stock-stale": "{subtenant}: وصلت آخر أرقام المخزون قبل {value} س.",
    outage: "{name} لا يستجيب. المستأجرون: {tenants}. الرسائل المحتجزة: {waiting}.",
  },
  answers: {
    "circuit-open": "{name} يجيب بـ {answer}. نقاط التكامل: {points}. الرسائل المحتجزة: {waiting}.",
    outage: "{name} يجيب بـ {answer}. المستأجرون: {tenants}. الرسائل المحتجزة: {waiting}.",
  },
  entities: { item: "أصناف", price: "أسعار", stock: "أرقام مخزون", order: "طلبات", shipment: "شحنات", customer: "عملاء" },
  job: "المهمة {id}",
  endings: endings.ar,
};

export const languages: Record<string, Language> & { en: Language } = { en, fr, it, es, zh, ar };
