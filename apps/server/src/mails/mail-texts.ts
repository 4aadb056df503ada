/** What mails say, in the languages of the console. `{code}`, `{minutes}`, `{link}` and `{days}` are filled in; nothing else is ever put into a text. */
export type MailKind =
  | "invitation"
  | "sign-up"
  | "sign-up-again"
  | "already-registered"
  | "password-reset"
  | "no-account"
  | "password-changed";
export type MailText = { subject: string; text: string };

const english: Record<MailKind, MailText> = {
  invitation: {
    subject: "You are invited to Crossdock",
    text: "You have been invited to Crossdock. Follow this link within {days} days, choose a name and a password, and you are in:\n\n{link}\n\nThe link works once. If you don’t know what this is about, ignore this mail.",
  },
  "sign-up": {
    subject: "{code} is your Crossdock code",
    text: "Your code is {code}. Enter it within {minutes} minutes to complete the sign-up process.\n\nIf you didn’t ask for an account, ignore this mail: without the code nothing happens.",
  },
  "sign-up-again": {
    subject: "{code} is your Crossdock code",
    text: "You have already started the sign-up process, please enter the security code to complete it!\n\nYour code is {code}. It belongs to the sign-up that was begun last and is good for {minutes} minutes.\n\nIf you didn’t ask for an account, ignore this mail: without the code nothing happens.",
  },
  "already-registered": {
    subject: "Sign-up at Crossdock",
    text: "The entered Email address is already registered!\n\nSomebody, probably you, asked for an account with it. Sign in instead; if you have forgotten your password, the sign-in page lets you set a new one. If it wasn’t you, ignore this mail.",
  },
  "password-reset": {
    subject: "{code} is your Crossdock code",
    text: "Your code for a new password is {code}. It is good for {minutes} minutes.\n\nIf you didn’t ask for it, ignore this mail: your password stays as it is. Never pass the code on to anybody.",
  },
  "no-account": {
    subject: "New password at Crossdock",
    text: "Somebody, probably you, asked for a new password for this address, but there is no password for it here. You may have signed up with another address, or sign in through another provider. If it wasn’t you, ignore this mail.",
  },
  "password-changed": {
    subject: "Your Crossdock password was changed",
    text: "Your password was set anew just now, and you were signed out everywhere.\n\nIf it wasn’t you, tell an administrator at once.",
  },
};

const french: typeof english = {
  invitation: {
    subject: "Vous êtes invité à rejoindre Crossdock",
    text: "Vous êtes invité à rejoindre Crossdock. Suivez ce lien dans les {days} jours, choisissez un nom et un mot de passe, et vous y êtes :\n\n{link}\n\nLe lien ne fonctionne qu’une fois. Si ce message ne vous dit rien, ignorez-le.",
  },
  "sign-up": {
    subject: "{code} est votre code Crossdock",
    text: "Votre code est {code}. Saisissez-le dans les {minutes} minutes pour terminer l’inscription.\n\nSi vous n’avez pas demandé de compte, ignorez ce message : sans le code, rien ne se passe.",
  },
  "sign-up-again": {
    subject: "{code} est votre code Crossdock",
    text: "Vous avez déjà commencé l’inscription, saisissez le code de sécurité pour la terminer !\n\nVotre code est {code}. Il appartient à la dernière inscription commencée et reste valable {minutes} minutes.\n\nSi vous n’avez pas demandé de compte, ignorez ce message : sans le code, rien ne se passe.",
  },
  "already-registered": {
    subject: "Inscription à Crossdock",
    text: "L’adresse e-mail saisie est déjà enregistrée !\n\nQuelqu’un, sans doute vous, a demandé un compte avec elle. Connectez-vous plutôt ; si vous avez oublié votre mot de passe, la page de connexion permet d’en définir un nouveau. Si ce n’était pas vous, ignorez ce message.",
  },
  "password-reset": {
    subject: "{code} est votre code Crossdock",
    text: "Votre code pour un nouveau mot de passe est {code}. Il est valable {minutes} minutes.\n\nSi vous ne l’avez pas demandé, ignorez ce message : votre mot de passe reste inchangé. Ne communiquez ce code à personne.",
  },
  "no-account": {
    subject: "Nouveau mot de passe Crossdock",
    text: "Quelqu’un, sans doute vous, a demandé un nouveau mot de passe pour cette adresse, mais aucun mot de passe n’y est associé ici. Vous vous êtes peut-être inscrit avec une autre adresse, ou vous vous connectez par un autre fournisseur. Si ce n’était pas vous, ignorez ce message.",
  },
  "password-changed": {
    subject: "Votre mot de passe Crossdock a été modifié",
    text: "Votre mot de passe vient d’être redéfini et vous avez été déconnecté partout.\n\nSi ce n’était pas vous, prévenez tout de suite un administrateur.",
  },
};

const italian: typeof english = {
  invitation: {
    subject: "Un invito per Crossdock",
    text: "Hai ricevuto un invito per Crossdock. Segui questo link entro {days} giorni, scegli un nome e una password e potrai entrare:\n\n{link}\n\nIl link funziona una sola volta. Se non sai di che cosa si tratta, ignora questo messaggio.",
  },
  "sign-up": {
    subject: "{code} è il tuo codice Crossdock",
    text: "Il tuo codice è {code}. Inseriscilo entro {minutes} minuti per completare la registrazione.\n\nSe non hai chiesto un account, ignora questo messaggio: senza il codice non succede nulla.",
  },
  "sign-up-again": {
    subject: "{code} è il tuo codice Crossdock",
    text: "Hai già iniziato la registrazione, inserisci il codice di sicurezza per completarla!\n\nIl tuo codice è {code}. Appartiene all’ultima registrazione iniziata e vale {minutes} minuti.\n\nSe non hai chiesto un account, ignora questo messaggio: senza il codice non succede nulla.",
  },
  "already-registered": {
    subject: "Registrazione a Crossdock",
    text: "L’indirizzo email inserito è già registrato!\n\nQualcuno, probabilmente tu, ha chiesto un account con questo indirizzo. Accedi invece; se hai dimenticato la password, la pagina di accesso permette di impostarne una nuova. Se non eri tu, ignora questo messaggio.",
  },
  "password-reset": {
    subject: "{code} è il tuo codice Crossdock",
    text: "Il tuo codice per una nuova password è {code}. Vale {minutes} minuti.\n\nSe non l’hai chiesto, ignora questo messaggio: la password resta com’è. Non dare il codice a nessuno.",
  },
  "no-account": {
    subject: "Nuova password di Crossdock",
    text: "Qualcuno, probabilmente tu, ha chiesto una nuova password per questo indirizzo, ma qui non ha una password. Forse ti sei registrato con un altro indirizzo, o accedi tramite un altro provider. Se non eri tu, ignora questo messaggio.",
  },
  "password-changed": {
    subject: "La tua password di Crossdock è stata cambiata",
    text: "La tua password è stata appena reimpostata e sei stato disconnesso ovunque.\n\nSe non eri tu, avvisa subito un amministratore.",
  },
};

const spanish: typeof english = {
  invitation: {
    subject: "Invitación a Crossdock",
    text: "Ha recibido una invitación a Crossdock. Siga este enlace en un plazo de {days} días, elija un nombre y una contraseña, y ya podrá entrar:\n\n{link}\n\nEl enlace funciona una sola vez. Si no sabe de qué se trata, ignore este mensaje.",
  },
  "sign-up": {
    subject: "{code} es su código de Crossdock",
    text: "Su código es {code}. Introdúzcalo en un plazo de {minutes} minutos para completar el registro.\n\nSi no ha pedido una cuenta, ignore este mensaje: sin el código no ocurre nada.",
  },
  "sign-up-again": {
    subject: "{code} es su código de Crossdock",
    text: "Ya ha iniciado el registro, ¡introduzca el código de seguridad para completarlo!\n\nSu código es {code}. Pertenece al último registro iniciado y vale {minutes} minutos.\n\nSi no ha pedido una cuenta, ignore este mensaje: sin el código no ocurre nada.",
  },
  "already-registered": {
    subject: "Registro en Crossdock",
    text: "¡La dirección de correo introducida ya está registrada!\n\nAlguien, probablemente usted, ha pedido una cuenta con ella. Inicie sesión; si ha olvidado la contraseña, la página de inicio de sesión le permite establecer una nueva. Si no ha sido usted, ignore este mensaje.",
  },
  "password-reset": {
    subject: "{code} es su código de Crossdock",
    text: "Su código para una nueva contraseña es {code}. Vale {minutes} minutos.\n\nSi no lo ha pedido, ignore este mensaje: la contraseña queda como está. No dé el código a nadie.",
  },
  "no-account": {
    subject: "Nueva contraseña de Crossdock",
    text: "Alguien, probablemente usted, ha pedido una nueva contraseña para esta dirección, pero aquí no tiene contraseña. Quizá se registró con otra dirección o inicia sesión con otro proveedor. Si no ha sido usted, ignore este mensaje.",
  },
  "password-changed": {
    subject: "Su contraseña de Crossdock ha cambiado",
    text: "Su contraseña se acaba de establecer de nuevo y se ha cerrado su sesión en todas partes.\n\nSi no ha sido usted, avise enseguida a un administrador.",
  },
};

const chinese: typeof english = {
  invitation: {
    subject: "邀请您加入 Crossdock",
    text: "您已受邀加入 Crossdock。请在 {days} 天内打开此链接，设置姓名和密码即可进入：\n\n{link}\n\n此链接只能使用一次。如果您不清楚此事，请忽略此邮件。",
  },
  "sign-up": {
    subject: "{code} 是您的 Crossdock 验证码",
    text: "您的验证码是 {code}。请在 {minutes} 分钟内输入以完成注册。\n\n如果您没有申请账户，请忽略此邮件：没有验证码不会发生任何事。",
  },
  "sign-up-again": {
    subject: "{code} 是您的 Crossdock 验证码",
    text: "您已经开始注册，请输入安全码以完成注册！\n\n您的验证码是 {code}，属于最近一次开始的注册，{minutes} 分钟内有效。\n\n如果您没有申请账户，请忽略此邮件：没有验证码不会发生任何事。",
  },
  "already-registered": {
    subject: "Crossdock 注册",
    text: "输入的电子邮件地址已被注册！\n\n有人（可能是您）用它申请了账户。请直接登录；如果忘记了密码，可在登录页面设置新密码。如果不是您本人，请忽略此邮件。",
  },
  "password-reset": {
    subject: "{code} 是您的 Crossdock 验证码",
    text: "您用于设置新密码的验证码是 {code}，{minutes} 分钟内有效。\n\n如果不是您申请的，请忽略此邮件：您的密码保持不变。切勿将验证码告诉任何人。",
  },
  "no-account": {
    subject: "Crossdock 新密码",
    text: "有人（可能是您）为此地址申请了新密码，但此处没有该地址的密码。您可能使用了其他地址注册，或通过其他提供商登录。如果不是您本人，请忽略此邮件。",
  },
  "password-changed": {
    subject: "您的 Crossdock 密码已更改",
    text: "您的密码刚刚重新设置，您已在所有设备上退出登录。\n\n如果不是您本人操作，请立即通知管理员。",
  },
};

const arabic: typeof english = {
  invitation: {
    subject: "دعوة إلى Crossdock",
    text: "لقد دُعيت إلى Crossdock. افتح هذا الرابط خلال {days} أيام واختر اسمًا وكلمة مرور لتتمكن من الدخول:\n\n{link}\n\nيعمل الرابط مرة واحدة فقط. إذا كنت لا تعرف عمّا تتحدث هذه الرسالة فتجاهلها.",
  },
  "sign-up": {
    subject: "{code} هو رمزك في Crossdock",
    text: "رمزك هو {code}. أدخله خلال {minutes} دقيقة لإكمال التسجيل.\n\nإذا لم تطلب حسابًا فتجاهل هذه الرسالة: لن يحدث شيء من دون الرمز.",
  },
  "sign-up-again": {
    subject: "{code} هو رمزك في Crossdock",
    text: "لقد بدأت التسجيل من قبل، يُرجى إدخال رمز الأمان لإكماله!\n\nرمزك هو {code}. وهو لآخر تسجيل بدأ، وصالح لمدة {minutes} دقيقة.\n\nإذا لم تطلب حسابًا فتجاهل هذه الرسالة: لن يحدث شيء من دون الرمز.",
  },
  "already-registered": {
    subject: "التسجيل في Crossdock",
    text: "عنوان البريد الإلكتروني المُدخل مسجّل بالفعل!\n\nطلب شخص ما، ربما أنت، حسابًا بهذا العنوان. سجّل الدخول بدلًا من ذلك؛ وإذا نسيت كلمة المرور فيمكنك تعيين كلمة جديدة من صفحة تسجيل الدخول. إذا لم تكن أنت فتجاهل هذه الرسالة.",
  },
  "password-reset": {
    subject: "{code} هو رمزك في Crossdock",
    text: "رمزك لتعيين كلمة مرور جديدة هو {code}. وهو صالح لمدة {minutes} دقيقة.\n\nإذا لم تطلبه فتجاهل هذه الرسالة: تبقى كلمة مرورك كما هي. لا تُعطِ الرمز لأحد.",
  },
  "no-account": {
    subject: "كلمة مرور جديدة في Crossdock",
    text: "طلب شخص ما، ربما أنت، كلمة مرور جديدة لهذا العنوان، لكن لا توجد له كلمة مرور هنا. ربما سجّلت بعنوان آخر أو تسجّل الدخول عبر مزوّد آخر. إذا لم تكن أنت فتجاهل هذه الرسالة.",
  },
  "password-changed": {
    subject: "تم تغيير كلمة مرورك في Crossdock",
    text: "تم تعيين كلمة مرورك من جديد للتو، وسُجّل خروجك من كل مكان.\n\nإذا لم تكن أنت فأبلغ المسؤول فورًا.",
  },
};

export const mailTexts: Record<string, typeof english> = { en: english, fr: french, it: italian, es: spanish, zh: chinese, ar: arabic };

/** In the language, or in English where there is no such one. */
export function mailText(kind: MailKind, locale: string, values: Record<string, string>): MailText {
  const { subject, text } = (mailTexts[locale] ?? english)[kind];
  const fill = (part: string): string => part.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? "");
  return { subject: fill(subject), text: fill(text) };
}
