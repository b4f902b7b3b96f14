package threadwise;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import jdk.internal.org.objectweb.asm.ClassReader;
import jdk.internal.org.objectweb.asm.ClassVisitor;
import jdk.internal.org.objectweb.asm.ClassWriter;
import jdk.internal.org.objectweb.asm.FieldVisitor;
import jdk.internal.org.objectweb.asm.Label;
import jdk.internal.org.objectweb.asm.MethodVisitor;
import jdk.internal.org.objectweb.asm.Opcodes;
import jdk.internal.org.objectweb.asm.Type;

/** Loads the classes of the program, with a call of the director before all that other threads may see. */
final class Rewriter extends ClassLoader {
    private static final int API = Opcodes.ASM8;
    private static final String DIRECTOR = "threadwise/Director";
    private static final String CONCURRENT = "java/util/concurrent/";
    private static final String POOL = "threadwise/FixedPool";
    private static final String CONDITION = CONCURRENT + "locks/Condition";
    private static final String BARRIER = CONCURRENT + "CyclicBarrier";

    /** What became of classes: each execution of a program loads them anew. */
    private static final Map<Path, byte[]> REWRITTEN = new ConcurrentHashMap<>();

    private final Path folder;
    /** The classes of the program that were looked at, by their names. */
    private final Map<String, Outline> outlines = new HashMap<>();

    /** What is known of a class before it is rewritten: its parent, and its fields with their access. */
    record Outline(String parent, Map<String, Integer> fields, boolean declaresStart) {}

    Rewriter(Path folder) {
        super(Director.class.getClassLoader());
        this.folder = folder;
    }

    private Path file(String internal) {
        return folder.resolve(internal + ".class");
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        synchronized (getClassLoadingLock(name)) {
            Class<?> known = findLoadedClass(name);
            if (known != null) {
                return known;
            }
            if (!Files.exists(file(name.replace('.', '/')))) {
                return super.loadClass(name, resolve);
            }
            byte[] bytes = REWRITTEN.computeIfAbsent(file(name.replace('.', '/')), at -> rewritten(name.replace('.', '/')));
            return defineClass(name, bytes, 0, bytes.length);
        }
    }

    private byte[] read(String internal) {
        try {
            byte[] bytes = Files.readAllBytes(file(internal));
            unseal(bytes);
            return bytes;
        } catch (IOException error) {
            throw new IllegalStateException(error);
        }
    }

    /** Which classes may extend a sealed one is for the compiler to know: the library of JDK 17 stops at an attribute of that name. */
    private static void unseal(byte[] bytes) {
        byte[] name = "PermittedSubclasses".getBytes(StandardCharsets.US_ASCII);
        for (int at = 3; at + name.length <= bytes.length; at++) {
            boolean isText = bytes[at - 3] == 1 && bytes[at - 2] == 0 && bytes[at - 1] == name.length;
            if (isText && Arrays.equals(bytes, at, at + name.length, name, 0, name.length)) {
                bytes[at] = 'p';
            }
        }
    }

    private byte[] rewritten(String internal) {
        ClassReader reader = new ClassReader(read(internal));
        ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        reader.accept(new OfClass(writer, firstLines(reader)), ClassReader.EXPAND_FRAMES);
        return writer.toByteArray();
    }

    /** Where methods begin: where a synchronized one takes its monitor. */
    private static Map<String, Integer> firstLines(ClassReader reader) {
        Map<String, Integer> lines = new HashMap<>();
        reader.accept(new ClassVisitor(API) {
            @Override
            public MethodVisitor visitMethod(int access, String name, String type, String generic, String[] thrown) {
                return new MethodVisitor(API) {
                    @Override
                    public void visitLineNumber(int line, Label start) {
                        lines.putIfAbsent(name + type, line);
                    }
                };
            }
        }, ClassReader.SKIP_FRAMES);
        return lines;
    }

    private Outline outline(String internal) {
        if (!Files.exists(file(internal))) {
            return null;
        }
        Outline known = outlines.get(internal);
        if (known != null) {
            return known;
        }
        ClassReader reader = new ClassReader(read(internal));
        Map<String, Integer> fields = new HashMap<>();
        boolean[] declaresStart = {false};
        reader.accept(new ClassVisitor(API) {
            @Override
            public FieldVisitor visitField(int access, String name, String type, String generic, Object value) {
                fields.put(name, access);
                return null;
            }

            @Override
            public MethodVisitor visitMethod(int access, String name, String type, String generic, String[] thrown) {
                declaresStart[0] |= name.equals("start") && type.equals("()V");
                return null;
            }
        }, ClassReader.SKIP_CODE);
        Outline found = new Outline(reader.getSuperName(), fields, declaresStart[0]);
        outlines.put(internal, found);
        return found;
    }

    /** How a field may be accessed; nothing if it is not one of the program. */
    private Integer access(String owner, String field) {
        for (Outline of = outline(owner); of != null; of = outline(of.parent)) {
            Integer access = of.fields.get(field);
            if (access != null) {
                return access;
            }
        }
        return null;
    }

    private boolean isThread(String owner) {
        String at = owner;
        for (Outline of = outline(at); of != null; of = outline(at)) {
            if (of.declaresStart) {
                return false;
            }
            at = of.parent;
        }
        return at.equals("java/lang/Thread");
    }

    private final class OfClass extends ClassVisitor {
        private final Map<String, Integer> lines;
        private String name;
        private String file;

        OfClass(ClassVisitor next, Map<String, Integer> lines) {
            super(API, next);
            this.lines = lines;
        }

        @Override
        public void visit(int version, int access, String name, String generic, String parent, String[] interfaces) {
            this.name = name;
            super.visit(version, access, name, generic, parent, interfaces);
        }

        @Override
        public void visitSource(String source, String debug) {
            file = source;
            super.visitSource(source, debug);
        }

        @Override
        public MethodVisitor visitMethod(int access, String method, String type, String generic, String[] thrown) {
            boolean isSynchronized = (access & Opcodes.ACC_SYNCHRONIZED) != 0;
            MethodVisitor next =
                super.visitMethod(access & ~Opcodes.ACC_SYNCHRONIZED, method, type, generic, thrown);
            boolean hasCode = (access & (Opcodes.ACC_ABSTRACT | Opcodes.ACC_NATIVE)) == 0;
            boolean isStatic = (access & Opcodes.ACC_STATIC) != 0;
            int line = lines.getOrDefault(method + type, 0);
            return hasCode ? new OfMethod(next, this, line, method, isSynchronized, isStatic) : next;
        }
    }

    private final class OfMethod extends MethodVisitor {
        private final String owner;
        private final String file;
        private final boolean isSynchronized;
        private final boolean isStatic;
        private final boolean isClassInitialiser;
        /** The object of a constructor is none before the constructor of its parent was called. */
        private boolean hasObject;
        /** Objects that were made and whose constructors were not called yet. */
        private int fresh;
        private int line;
        private final Label from = new Label();
        private final Label to = new Label();

        OfMethod(MethodVisitor next, OfClass of, int line, String name, boolean isSynchronized, boolean isStatic) {
            super(API, next);
            this.owner = of.name;
            this.file = of.file;
            this.line = line;
            this.isSynchronized = isSynchronized;
            this.isStatic = isStatic;
            isClassInitialiser = name.equals("<clinit>");
            hasObject = !name.equals("<init>");
        }

        private void site() {
            super.visitLdcInsn(Director.site(file, line));
        }

        private void director(String name, String type) {
            super.visitMethodInsn(Opcodes.INVOKESTATIC, DIRECTOR, name, type, false);
        }

        private void itself() {
            if (isStatic) {
                super.visitLdcInsn(Type.getObjectType(owner));
            } else {
                super.visitVarInsn(Opcodes.ALOAD, 0);
            }
        }

        @Override
        public void visitCode() {
            super.visitCode();
            if (isClassInitialiser) {
                super.visitInsn(Opcodes.ICONST_1);
                director("quiet", "(I)V");
            }
            if (isSynchronized) {
                enterMonitor();
            }
        }

        @Override
        public void visitLineNumber(int line, Label start) {
            super.visitLineNumber(line, start);
            this.line = line;
        }

        private void enterMonitor() {
            itself();
            site();
            director("enter", "(Ljava/lang/Object;I)V");
            itself();
            super.visitInsn(Opcodes.MONITORENTER);
            super.visitLabel(from);
        }

        private void exitMonitor() {
            itself();
            site();
            director("exit", "(Ljava/lang/Object;I)V");
            itself();
            super.visitInsn(Opcodes.MONITOREXIT);
        }

        @Override
        public void visitMaxs(int stack, int locals) {
            if (isSynchronized) {
                super.visitLabel(to);
                Object[] kept = isStatic ? new Object[0] : new Object[] {owner};
                super.visitFrame(Opcodes.F_NEW, kept.length, kept, 1, new Object[] {"java/lang/Throwable"});
                exitMonitor();
                super.visitInsn(Opcodes.ATHROW);
                super.visitTryCatchBlock(from, to, to, null);
            }
            super.visitMaxs(stack, locals);
        }

        @Override
        public void visitFieldInsn(int opcode, String of, String name, String type) {
            Integer access = access(of, name);
            boolean isSeen = access != null && hasObject && !name.contains("$");
            if (isSeen) {
                boolean isWrite = opcode == Opcodes.PUTFIELD || opcode == Opcodes.PUTSTATIC;
                if (opcode == Opcodes.GETFIELD) {
                    super.visitInsn(Opcodes.DUP);
                } else if (opcode == Opcodes.PUTFIELD) {
                    objectBelow(Type.getType(type).getSize());
                } else {
                    super.visitInsn(Opcodes.ACONST_NULL);
                }
                boolean isFinal = (access & Opcodes.ACC_FINAL) != 0;
                boolean isPlain = (access & Opcodes.ACC_VOLATILE) == 0;
                boolean isOfClass = opcode == Opcodes.GETSTATIC || opcode == Opcodes.PUTSTATIC;
                super.visitLdcInsn(isOfClass ? declaring(of, name) + "." + name : "." + name);
                super.visitLdcInsn(isFinal ? "final" : isPlain ? "plain" : "volatile");
                super.visitInsn(isWrite ? Opcodes.ICONST_1 : Opcodes.ICONST_0);
                site();
                director("field", "(Ljava/lang/Object;Ljava/lang/String;Ljava/lang/String;ZI)V");
            }
            super.visitFieldInsn(opcode, of, name, type);
        }

        private String declaring(String of, String field) {
            String at = of;
            while (!outline(at).fields.containsKey(field)) {
                at = outline(at).parent;
            }
            return at;
        }

        /** Below a value of one or two places. */
        private void objectBelow(int size) {
            if (size == 1) {
                super.visitInsn(Opcodes.DUP2);
                super.visitInsn(Opcodes.POP);
            } else {
                super.visitInsn(Opcodes.DUP2_X1);
                super.visitInsn(Opcodes.POP2);
                super.visitInsn(Opcodes.DUP_X2);
            }
        }

        @Override
        public void visitInsn(int opcode) {
            if (Opcodes.IALOAD <= opcode && opcode <= Opcodes.SALOAD) {
                super.visitInsn(Opcodes.DUP2);
                element(false);
            } else if (opcode == Opcodes.LASTORE || opcode == Opcodes.DASTORE) {
                super.visitInsn(Opcodes.DUP2_X2);
                super.visitInsn(Opcodes.POP2);
                super.visitInsn(Opcodes.DUP2_X2);
                element(true);
            } else if (Opcodes.IASTORE <= opcode && opcode <= Opcodes.SASTORE) {
                super.visitInsn(Opcodes.DUP_X2);
                super.visitInsn(Opcodes.POP);
                super.visitInsn(Opcodes.DUP2_X1);
                element(true);
            } else if (opcode == Opcodes.MONITORENTER || opcode == Opcodes.MONITOREXIT) {
                super.visitInsn(Opcodes.DUP);
                site();
                director(opcode == Opcodes.MONITORENTER ? "enter" : "exit", "(Ljava/lang/Object;I)V");
            } else if (Opcodes.IRETURN <= opcode && opcode <= Opcodes.RETURN) {
                if (isSynchronized) {
                    exitMonitor();
                }
                if (isClassInitialiser) {
                    super.visitInsn(Opcodes.ICONST_M1);
                    director("quiet", "(I)V");
                }
            }
            super.visitInsn(opcode);
        }

        private void element(boolean isWrite) {
            super.visitInsn(isWrite ? Opcodes.ICONST_1 : Opcodes.ICONST_0);
            site();
            director("element", "(Ljava/lang/Object;IZI)V");
        }

        @Override
        public void visitTypeInsn(int opcode, String type) {
            fresh += opcode == Opcodes.NEW ? 1 : 0;
            super.visitTypeInsn(opcode, type);
        }

        @Override
        public void visitMethodInsn(int opcode, String of, String name, String type, boolean isInterface) {
            if (name.equals("<init>")) {
                hasObject |= fresh == 0;
                fresh -= fresh == 0 ? 0 : 1;
            }
            if (of.equals(CONCURRENT + "Executors") && outline(POOL) != null) {
                // The pool of the trace, so that its threads are known.
                super.visitMethodInsn(opcode, POOL, name, type, false);
                return;
            }
            if (!replaced(of, name, type)) {
                boolean isView = name.equals("readLock") || name.equals("writeLock");
                if (of.startsWith(CONCURRENT) && !name.equals("<init>") && !isView) {
                    super.visitLdcInsn(name);
                    site();
                    director("call", "(Ljava/lang/String;I)V");
                }
                super.visitMethodInsn(opcode, of, name, type, isInterface);
            }
        }

        /** A call that the director does. */
        private boolean replaced(String of, String name, String type) {
            boolean isThread = of.equals("java/lang/Thread") || isThread(of);
            String call = name + type;
            String to = switch (call) {
                case "wait()V" -> "waitOn(Ljava/lang/Object;";
                case "notify()V" -> "notifyOne(Ljava/lang/Object;";
                case "notifyAll()V" -> "notifyEach(Ljava/lang/Object;";
                case "start()V" -> isThread ? "start(Ljava/lang/Thread;" : null;
                case "join()V" -> isThread ? "join(Ljava/lang/Thread;" : null;
                case "await()V" -> of.equals(CONDITION) ? "await(L" + CONDITION + ";" : null;
                case "signal()V", "signalAll()V" -> of.equals(CONDITION) ? name + "(L" + CONDITION + ";" : null;
                default -> null;
            };
            if (to != null) {
                site();
                int at = to.indexOf('(');
                director(to.substring(0, at), to.substring(at) + "I)V");
                return true;
            }
            if (of.equals(BARRIER) && call.equals("await()I")) {
                site();
                director("await", "(L" + BARRIER + ";I)I");
                return true;
            }
            if (name.equals("newCondition")) {
                director("newCondition", "(L" + CONCURRENT + "locks/Lock;)L" + CONDITION + ";");
                return true;
            }
            if (isThread && call.equals("sleep(J)V")) {
                director("sleep", "(J)V");
                return true;
            }
            return false;
        }
    }
}
